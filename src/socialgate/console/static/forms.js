// A form is sent once, however often its button is pressed; a dialog with an error opens again, and the one in the
// address opens; secrets can be copied.
import { toast } from "./toasts.js";

export function watchForms(root = document) {
  root.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.hasAttribute("data-upload")) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
  // A page that comes back from the history can be sent again.
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });
  for (const dialog of root.querySelectorAll("[data-dialog]")) {
    if (dialog.querySelector("[role=alert]") || location.hash === `#${dialog.id}`) dialog.showPopover();
  }
  // A long form begins with what was wrong.
  root.querySelector(".fault")?.closest(".field")?.querySelector("input, select, textarea")?.focus();
  for (const secret of root.querySelectorAll("[data-copy]")) addCopyButton(secret);
}

function addCopyButton(secret) {
  if (!navigator.clipboard) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(secret.textContent);
    toast("Copied");
  });
  secret.after(button);
}
