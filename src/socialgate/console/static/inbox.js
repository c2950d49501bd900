// The inbox: new messages appear in the open conversation, R replies, E marks as read, and a draft survives the page.
import { listen } from "./live.js";

const inbox = document.querySelector("[data-inbox]");
const talk = inbox.querySelector("[data-talk]");
const text = inbox.querySelector("[data-reply-text]");
const open = inbox.dataset.conversation;

// J and K go on from the conversation that is open.
inbox.querySelector(".chat.on")?.setAttribute("data-current", "");
if (talk) talk.scrollTop = talk.scrollHeight;
watchReply();
watchKeys();
if (open) listen((_, envelope) => envelope.data?.conversationId === open && refresh());

let refreshing;

// Events often come in groups: one request shows them all.
function refresh() {
  refreshing ??= setTimeout(async () => {
    refreshing = undefined;
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (response.ok) show(new DOMParser().parseFromString(await response.text(), "text/html"));
  }, 150);
}

// Only what is new or different is replaced, so that nothing that somebody reads or selects moves.
function show(page) {
  const atEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 80;
  const list = talk.querySelector("[data-messages]");
  for (const item of page.querySelectorAll("[data-messages] > *")) {
    const known = item.id ? document.getElementById(item.id) : findDay(list, item.textContent);
    if (!known) list.append(document.adoptNode(item));
    else if (known.innerHTML !== item.innerHTML) known.replaceWith(document.adoptNode(item));
  }
  const row = page.querySelector(`[data-chat="${CSS.escape(open)}"]`);
  inbox.querySelector(`[data-chat="${CSS.escape(open)}"]`)?.replaceChildren(...(row?.childNodes ?? []));
  if (atEnd) talk.scrollTop = talk.scrollHeight;
}

function findDay(list, words) {
  return [...list.querySelectorAll("[data-day]")].find((day) => day.textContent === words);
}

function watchReply() {
  if (!text) return;
  const name = `draft ${open}`;
  text.value ||= sessionStorage.getItem(name) ?? "";
  text.addEventListener("input", () => sessionStorage.setItem(name, text.value));
  text.form.addEventListener("submit", () => sessionStorage.removeItem(name));
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) text.form.requestSubmit();
    else if (event.key === "Escape") text.blur();
  });
}

function watchKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, textarea, select")) return;
    if (event.key === "r" && text) {
      event.preventDefault();
      text.focus();
    } else if (event.key === "e") {
      inbox.querySelector("[data-done-form]")?.requestSubmit();
    }
  });
}
