// Before the page is drawn: the theme and the language that somebody chose last time.
(() => {
  const root = document.documentElement;
  const remembered = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // Cookies and storage are switched off.
    }
  };
  root.classList.add("scripted");
  const theme = remembered("socialgate-theme") ?? document.cookie.match(/(?:^|; )sg_theme=(light|dark)/)?.[1];
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const language = remembered("socialgate-language");
  root.dataset.language = ["curl", "python", "typescript"].includes(language) ? language : "curl";
})();
