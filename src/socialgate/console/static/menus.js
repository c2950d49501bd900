// Menus are <details>: they close with Escape and when something else is pressed. Pickers filter their items.
export function watchMenus(root = document) {
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.target.closest?.("details[data-menu][open]");
    if (!menu) return;
    if (event.key === "Escape") {
      menu.open = false;
      menu.querySelector("summary").focus();
      event.stopPropagation();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const items = [...menu.querySelectorAll(".float a, .float button, .float input")].filter((item) => item.checkVisibility());
      const place = items.indexOf(document.activeElement);
      items.at(event.key === "ArrowDown" ? (place + 1) % items.length : place - 1)?.focus();
      event.preventDefault();
    }
  });
  for (const menu of root.querySelectorAll("details[data-menu]")) {
    menu.addEventListener("toggle", () => menu.open && menu.querySelector("[data-picker-search]")?.focus());
  }
  for (const search of root.querySelectorAll("[data-picker-search]")) {
    search.addEventListener("input", () => filterItems(search.closest("[data-picker]"), search.value));
  }
}

function filterItems(picker, text) {
  const sought = text.trim().toLocaleLowerCase();
  for (const item of picker.querySelectorAll("[data-picker-item]")) {
    item.hidden = !item.textContent.toLocaleLowerCase().includes(sought);
  }
}
