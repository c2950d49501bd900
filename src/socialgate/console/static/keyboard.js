// N new post, / search, J and K through rows, G and a letter to a page, ? shows all. Never while somebody types.
const GO_SECONDS = 1.5;

export function watchKeyboard() {
  let goUntil = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (Date.now() < goUntil) {
      goUntil = 0;
      const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
      if (link) {
        event.preventDefault();
        link.click();
      }
      return;
    }
    if (key === "g") goUntil = Date.now() + GO_SECONDS * 1000;
    else if (key === "/") act(event, () => document.querySelector("[data-search]")?.focus());
    else if (key === "?") act(event, () => document.getElementById("shortcuts")?.togglePopover());
    else if (key === "n") act(event, () => document.querySelector("[data-new]")?.click());
    else if (key === "j" || key === "k") act(event, () => moveSelection(key === "j" ? 1 : -1));
    else if (key === "enter" && event.target === document.body) openSelected(event);
  });
}

function isTyping(target) {
  return target.isContentEditable || target.matches?.("input:not([type=checkbox], [type=radio]), textarea, select");
}

function act(event, run) {
  event.preventDefault();
  run();
}

function moveSelection(step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const place = rows.findIndex((row) => row.hasAttribute("data-current"));
  const next = rows[place < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(place + step, 0), rows.length - 1)];
  if (!next) return;
  rows[place]?.removeAttribute("data-current");
  next.setAttribute("data-current", "");
  next.scrollIntoView({ block: "nearest" });
  next.querySelector("a")?.focus({ preventScroll: true });
}

function openSelected(event) {
  const link = document.querySelector('[data-row][data-current] a');
  if (link) act(event, () => link.click());
}
