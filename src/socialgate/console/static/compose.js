// Compose, live: the server checks and draws while somebody writes, files are sent with their progress, and what is
// written is saved as a draft by itself. Everything is the form of the page, sent in the background.
import { nameTime } from "./times.js";
import { toast } from "./toasts.js";

const CHECK_PAUSE = 450;
const SAVE_PAUSE = 2000;

const form = document.querySelector("form[data-compose]");
const isScheduled = form.hasAttribute("data-scheduled");
let checking;
let isChanged = false;
let isLeaving = false;
let checkTimer;
let saveTimer;
let saving = Promise.resolve();

// Blank fields say nothing, and there is a limit to their number.
form.addEventListener("formdata", (event) => {
  for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
});

// A time begins with one that can be changed, not with a mistake.
form.addEventListener("input", ({ target }) => {
  const time = form.elements.time;
  if (target.id === "when-at" && !time.value) time.value = time.dataset.suggested;
});

// What is chosen in a dialog counts when its button is pressed.
form.addEventListener("input", (event) => event.target.closest("[popover]") || change());
form.addEventListener("change", (event) => {
  if (event.target.name === "account") change(0);
});

// What only changes the form is done in the background; what saves or generates is an ordinary request.
form.addEventListener("submit", (event) => {
  const act = event.submitter?.value ?? "check";
  if (!/^(check|drop:|earlier:|later:)/.test(act)) {
    isLeaving = true;
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  delete form.dataset.sent;
  for (const dialog of form.querySelectorAll("[popover]:popover-open")) dialog.hidePopover();
  change(0, act);
});

function change(pause = CHECK_PAUSE, act = "check") {
  isChanged = true;
  nameButton();
  if (!isScheduled) keepTime(new URL(location));
  clearTimeout(checkTimer);
  checkTimer = setTimeout(() => check(act), pause);
  if (isScheduled) return;
  clearTimeout(saveTimer);
  // One after the other, so that an older text never replaces a newer one.
  saveTimer = setTimeout(() => (saving = saving.then(save)), SAVE_PAUSE);
}

function send(act, options = {}) {
  const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
  body.set("act", act);
  return fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" }, ...options });
}

async function check(act) {
  checking?.abort();
  checking = new AbortController();
  try {
    const answer = await send(act, { signal: checking.signal });
    if (answer.redirected || !answer.ok) return;
    show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch (failure) {
    if (failure.name !== "AbortError") setTimeout(() => check(act), SAVE_PAUSE);
  }
}

// Only what the server found and drew is replaced, never a field that somebody types in.
function show(page) {
  const chosen = document.querySelector("#previews input:checked")?.id;
  const active = document.activeElement;
  const focused = active?.name;
  showPanels(page);
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = page.getElementById(part.id);
    if (!next || part.id === "account-panels" || next.innerHTML === part.innerHTML) continue;
    if (part.id === "files" && part.contains(document.activeElement) && focused) continue;
    part.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
  }
  for (const field of form.querySelectorAll("[name^='option.']")) {
    const next = page.getElementById(field.id);
    field.toggleAttribute("aria-invalid", Boolean(next?.hasAttribute("aria-invalid")));
  }
  const preview = chosen && document.getElementById(chosen);
  if (preview) preview.checked = true;
  showLibrary(page);
  // A box that was drawn again keeps the focus.
  if (focused && !active.isConnected) {
    form.querySelector(`[name="${CSS.escape(focused)}"][value="${CSS.escape(active.value)}"]`)?.focus();
  }
  for (const button of document.querySelectorAll(".go[value=queue]")) {
    button.textContent = page.querySelector(".go[value=queue]")?.textContent ?? button.textContent;
  }
}

// The panels of accounts that were chosen appear, and those of others go; what is written in them stays.
function showPanels(page) {
  const here = document.getElementById("account-panels");
  const known = new Map([...here.children].map((panel) => [panel.dataset.account, panel]));
  const next = [...page.getElementById("account-panels").children].map(
    (panel) => known.get(panel.dataset.account) ?? document.importNode(panel, true),
  );
  for (const panel of [...here.children]) if (!next.includes(panel)) panel.remove();
  next.forEach((panel, place) => here.children[place] !== panel && here.insertBefore(panel, here.children[place] ?? null));
}

function showLibrary(page) {
  const here = document.querySelector("#library .shelf");
  const next = page.querySelector("#library .shelf");
  if (here && next && !here.querySelector(":checked")) here.replaceWith(document.importNode(next, true));
  else if (here) for (const box of here.querySelectorAll(":checked")) box.closest("li").remove();
}

async function save() {
  const data = new FormData(form);
  if (isLeaving || !(data.get("content")?.trim() || data.get("media"))) return;
  isChanged = false;
  const answer = await send("keep").catch(() => undefined);
  if (isLeaving || !answer?.ok || !answer.redirected) return void (isChanged = true);
  const address = new URL(answer.url);
  if (address.pathname !== location.pathname) return;
  form.action = address;
  keepTime(address);
  document.querySelector("[data-saved]").textContent = "Draft saved";
}

// A reload finds the draft by the address, and there the time, which a draft does not store: also a time that was chosen
// a moment ago.
function keepTime(address) {
  const data = new FormData(form);
  address.searchParams.delete("at");
  if (data.get("when") === "at" && data.get("time")) address.searchParams.set("at", data.get("time"));
  history.replaceState(history.state, "", address);
}

addEventListener("pagehide", () => {
  if (!isChanged || isLeaving || isScheduled) return;
  const data = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
  data.set("act", "keep");
  if (data.get("content") || data.get("media")) navigator.sendBeacon(form.action, data);
});
// A scheduled post only changes when somebody says so.
addEventListener("beforeunload", (event) => {
  if (isScheduled && isChanged && !isLeaving) event.preventDefault();
});


function nameButton() {
  const time = form.elements.time.value;
  document.querySelector(".go[value=at]").textContent = time ? `Schedule for ${nameTime(time)}` : "Schedule";
}

// Files: chosen, dropped or pasted, one after the other.
const writing = form.querySelector(".writing");
const input = form.querySelector("[data-files]");
let pending = Promise.resolve();
const add = (files) => {
  for (const file of files) pending = pending.then(() => upload(file));
};
input.addEventListener("change", () => {
  add([...input.files]);
  input.value = "";
});
for (const name of ["dragover", "dragleave", "drop"]) {
  writing.addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    writing.classList.toggle("over", name === "dragover");
    if (name === "drop") add([...event.dataTransfer.files]);
  });
}
writing.addEventListener("paste", (event) => {
  if (event.clipboardData.files.length) add([...event.clipboardData.files]);
});

function upload(file) {
  return new Promise((resolve) => {
    const row = document.createElement("li");
    const words = document.createElement("span");
    const progress = document.createElement("progress");
    words.textContent = file.name;
    progress.max = 1;
    progress.value = 0;
    progress.setAttribute("aria-label", file.name);
    row.append(words, progress);
    form.querySelector("[data-uploads]").append(row);
    const fail = (message) => {
      words.textContent = `${file.name}: ${message}`;
      words.className = "bad";
      progress.remove();
      resolve();
    };
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => (progress.value = event.loaded / event.total);
    request.onerror = () => fail("The connection broke. Choose the file again.");
    request.onload = () => {
      const answer = JSON.parse(request.responseText);
      if (request.status !== 201) return fail(answer.detail ?? "Not uploaded.");
      row.remove();
      attach(answer.id);
      resolve();
    };
    const data = new FormData();
    data.append("profileId", form.dataset.profile);
    data.append("file", file);
    request.open("POST", "/upload");
    request.send(data);
  });
}

// The server draws the file with its fields; until then it is only part of the form.
function attach(id) {
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "media";
  field.value = id;
  document.getElementById("files").append(field);
  document.activeElement?.closest("#files") && document.activeElement.blur();
  change(0);
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
  const button = [...document.querySelectorAll(".go")].find((item) => item.checkVisibility());
  if (button) button.click();
  else toast("Choose when to publish.");
});
