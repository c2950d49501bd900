// A filter bar applies what is chosen at once, and a text when typing pauses. Empty fields stay out of the address.
const PAUSE = 400;

export function watchFilters(root = document) {
  for (const form of root.querySelectorAll("form[data-filters]")) {
    let timer;
    const apply = () => {
      clearTimeout(timer);
      const chosen = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
      location.assign(form.action + (chosen.size ? `?${chosen}` : ""));
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      apply();
    });
    form.addEventListener("change", (event) => event.target.matches("[data-search]") || apply());
    form.addEventListener("input", (event) => {
      if (!event.target.matches("[data-search]")) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        sessionStorage.setItem("searching", location.pathname);
        apply();
      }, PAUSE);
    });
  }
  // The page was loaded by typing: go on where the person was.
  const search = root.querySelector("[data-search]");
  if (search && sessionStorage.getItem("searching") === location.pathname) {
    search.focus();
    search.setSelectionRange(search.value.length, search.value.length);
  }
  sessionStorage.removeItem("searching");
}
