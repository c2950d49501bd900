// Short messages in the corner. `action` adds a button, such as Undo.
const SECONDS = 10;

export function toast(message, action) {
  const item = document.createElement("div");
  item.className = "toast";
  item.role = "status";
  const text = document.createElement("span");
  text.className = "grow";
  text.textContent = message;
  item.append(text);
  const close = () => item.remove();
  if (action) item.append(build(action.word, () => (close(), action.run())));
  item.append(build("Dismiss", close));
  document.getElementById("toasts").append(item);
  setTimeout(close, SECONDS * 1000);
  return close;
}

function build(word, run) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = word;
  button.addEventListener("click", run);
  return button;
}
