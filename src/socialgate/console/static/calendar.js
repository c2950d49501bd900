// A post is dragged to another day, in the week also to another hour, or moved with Shift and the arrows. Both send the
// form that moves it: what is allowed is decided there. The last move can be undone.
import { nameTime } from "./times.js";
import { toast } from "./toasts.js";

const calendar = document.querySelector("[data-calendar]");
let held;

for (const chip of document.querySelectorAll("[draggable]")) {
  chip.addEventListener("dragstart", (event) => {
    held = chip;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", chip.dataset.post);
    chip.classList.add("held");
  });
  chip.addEventListener("dragend", () => {
    chip.classList.remove("held");
    held = undefined;
  });
  chip.addEventListener("keydown", (event) => {
    const step = event.shiftKey && steps()[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    move(chip, addHours(chip.dataset.time, step));
  });
}

// Where a post can be dropped: the days of a month, the hours of a week.
const target = calendar?.dataset.calendar === "week" ? "[data-hour]" : "[data-day]";
for (const cell of calendar?.querySelectorAll(target) ?? []) {
  for (const name of ["dragover", "dragleave", "drop"]) {
    cell.addEventListener(name, (event) => {
      if (!held) return;
      event.preventDefault();
      cell.classList.toggle("over", name === "dragover");
      if (name !== "drop" || cell.contains(held)) return;
      const [hour, minute] = held.dataset.time.split("T")[1].split(":");
      move(held, `${cell.closest("[data-day]").dataset.day}T${cell.dataset.hour ?? hour}:${minute}`);
    });
  }
}

function steps() {
  const vertical = calendar?.dataset.calendar === "month" ? 7 * 24 : 1;
  return { ArrowLeft: -24, ArrowRight: 24, ArrowUp: -vertical, ArrowDown: vertical };
}

// Clock times without a zone: the service knows the zone of the page.
function addHours(time, hours) {
  const date = new Date(`${time}:00Z`);
  date.setUTCHours(date.getUTCHours() + hours);
  return date.toISOString().slice(0, 16);
}

async function move(chip, time) {
  const before = chip.dataset.time;
  if (await send(chip, time)) {
    place(chip, time);
    toast(`Moved to ${nameTime(time)}`, { word: "Undo", run: async () => (await send(chip, before)) && place(chip, before) });
  }
}

async function send(chip, time) {
  const address = document.getElementById("keys").dataset.move.replace("/POST/", `/${chip.dataset.post}/`);
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams({ time }) }).catch(() => undefined);
  if (answer?.ok && answer.redirected) return true;
  const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
  toast(page?.querySelector("main [role=alert]")?.textContent.trim() ?? "The post was not moved.");
  return false;
}

function place(chip, time) {
  const [day, clock] = time.split("T");
  const dayCell = calendar?.querySelector(`[data-day="${day}"]`);
  const cell = dayCell?.querySelector(`[data-hour="${clock.split(":")[0]}"]`) ?? dayCell;
  const words = chip.querySelector(".t");
  words.firstChild.textContent = words.firstChild.textContent.replace(/^\d\d:\d\d/, clock);
  chip.dataset.time = time;
  if (!cell) return chip.remove();
  let list = cell.querySelector("ul");
  if (!list) cell.append((list = document.createElement("ul")));
  const later = [...list.children].find((item) => (item.dataset.time ?? "") > time);
  list.insertBefore(chip, later ?? null);
  chip.querySelector("a").focus();
}
