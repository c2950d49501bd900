// Files are sent one after the other with their progress, and can be dropped. Without scripts, the form sends one file.
export function watchUploads(root = document) {
  for (const form of root.querySelectorAll("form[data-upload]")) watchUpload(form);
}

function watchUpload(form) {
  const input = form.querySelector("input[type=file]");
  input.multiple = true;
  let pending = Promise.resolve(true);
  const add = (files) => {
    for (const file of files) {
      const row = addRow(form, file);
      pending = pending.then(async (complete) => (await send(form, input.name, file, row)) && complete);
    }
    input.value = "";
    // The page shows the files when all have arrived; if one has not, its message stays.
    pending.then((complete) => complete && location.assign(form.dataset.done ?? location.pathname + location.search));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    add(input.files);
  });
  input.addEventListener("change", () => add(input.files));
  for (const name of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle("over", name === "dragover");
      if (name === "drop") add(event.dataTransfer.files);
    });
  }
}

function addRow(form, file) {
  const row = document.createElement("li");
  const words = document.createElement("span");
  const progress = document.createElement("progress");
  words.textContent = `${file.name} · waiting`;
  progress.max = 1;
  progress.value = 0;
  progress.setAttribute("aria-label", file.name);
  row.append(words, progress);
  form.querySelector("[data-upload-list]").append(row);
  return { words, progress };
}

function send(form, name, file, { words, progress }) {
  return new Promise((resolve) => {
    const data = new FormData(form);
    data.delete(name);
    data.append(name, file);
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => {
      progress.value = event.loaded / event.total;
      words.textContent = `${file.name} · ${Math.round(progress.value * 100)} %`;
    };
    const end = (message, complete) => {
      words.textContent = `${file.name} · ${message}`;
      words.classList.toggle("bad", !complete);
      progress.remove();
      resolve(complete);
    };
    request.onload = () => {
      if (request.status < 400) end("uploaded", true);
      else end(readFailure(request.responseText), false);
    };
    request.onerror = () => end("The connection broke. Choose the file again.", false);
    request.open("POST", form.action);
    request.send(data);
  });
}

// The answer is the page with its error, in the words that a person without scripts would see.
function readFailure(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  return page.querySelector("[role=alert]")?.textContent.trim() ?? page.querySelector("main p")?.textContent ?? "Not uploaded.";
}
