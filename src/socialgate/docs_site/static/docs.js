// What pages of the documentation do beyond showing text. All of them can be read without it.
import { rank } from "./search.js";

const root = document.documentElement;
const remember = (name, value) => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Cookies and storage are switched off: the choice lasts for this page.
  }
};

function watchLanguages() {
  const show = () => {
    for (const button of document.querySelectorAll("[data-language][type=button]")) {
      button.setAttribute("aria-pressed", String(button.dataset.language === root.dataset.language));
    }
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-language]");
    if (!button) return;
    const before = button.getBoundingClientRect().top;
    root.dataset.language = button.dataset.language;
    remember("socialgate-language", button.dataset.language);
    show();
    // Examples above change their height too: what was pressed stays where it is.
    scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
  });
  show();
}

function watchTheme() {
  document.querySelector("[data-theme-switch]")?.addEventListener("click", () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    remember("socialgate-theme", root.dataset.theme);
  });
}

function addCopyButtons() {
  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.append(button);
  }
}

function watchMenu() {
  const button = document.querySelector("[data-menu-switch]");
  const menu = document.getElementById("menu");
  button?.addEventListener("click", (event) => {
    event.preventDefault();
    const isOpen = menu.classList.toggle("open");
    button.setAttribute("aria-expanded", String(isOpen));
  });
  menu?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

let loading;
const loadIndex = () => (loading ??= fetch(root.dataset.index).then((response) => response.json()));
// The address of a page as its own links are written: below /docs, or from file to file.
const addressOf = ({ page, anchor }) => {
  const path = page ? root.dataset.pages.replace("PAGE", page) : root.dataset.home;
  return anchor ? `${path}#${anchor}` : path;
};

function watchSearch() {
  const dialog = document.querySelector("dialog.search");
  if (!dialog) return;
  const input = dialog.querySelector("input");
  const list = dialog.querySelector("ul");
  const open = () => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    loadIndex();
  };
  document.querySelector("[data-search]")?.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
    if ((event.key === "k" && (event.metaKey || event.ctrlKey)) || (event.key === "/" && !isTyping)) {
      event.preventDefault();
      open();
    }
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  input.addEventListener("input", async () => {
    const query = input.value;
    const found = rank(await loadIndex(), query);
    if (query === input.value) show(list, found, query);
  });
  dialog.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const place = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = place + (event.key === "ArrowDown" ? 1 : -1);
      (next < 0 ? input : links[Math.min(next, links.length - 1)])?.focus();
    } else if (event.key === "Enter" && place < 0 && links[0]) {
      event.preventDefault();
      links[0].click();
    }
  });
  list.addEventListener("click", () => dialog.close());
}

function show(list, found, query) {
  const rows = found.map((entry) => {
    const row = document.createElement("li");
    const link = document.createElement("a");
    link.href = addressOf(entry);
    const heading = Object.assign(document.createElement("b"), { textContent: entry.heading });
    const page = Object.assign(document.createElement("span"), { textContent: entry.title });
    const excerpt = Object.assign(document.createElement("small"), { textContent: entry.excerpt });
    link.append(heading, ...(entry.title === entry.heading ? [] : [page]), excerpt);
    row.append(link);
    return row;
  });
  if (!rows.length && query.trim()) {
    rows.push(Object.assign(document.createElement("li"), { className: "none", textContent: "Nothing found. Try other words." }));
  }
  list.replaceChildren(...rows);
}

// The reference was one long page: its addresses, such as /docs#createPost, lead to where the part is now.
async function followOldAddress() {
  const anchor = decodeURIComponent(location.hash.slice(1));
  if (root.dataset.page !== "" || !anchor || document.getElementById(anchor)) return;
  const index = await loadIndex();
  const section = index.sections.find((row) => row[1] === anchor && row[0].startsWith("api/"));
  const page = anchor === "errors" ? "reference/errors" : anchor.startsWith("Automation") ? "reference/automations" : undefined;
  if (section) location.replace(addressOf({ page: section[0], anchor }));
  else if (page) location.replace(addressOf({ page, anchor: "" }));
}

// A field that a link leads to is inside of others, which are closed.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
}

watchLanguages();
watchTheme();
addCopyButtons();
watchMenu();
watchSearch();
openTarget();
addEventListener("hashchange", openTarget);
followOldAddress();
