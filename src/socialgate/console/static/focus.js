// What must stay in a picture: it is pressed there, and the sliders beside it follow. The sliders work without this.
const form = document.querySelector("form[data-compose]");
let held;

form.addEventListener("pointerdown", (event) => {
  held = event.target.closest("[data-aim]");
  if (!held) return;
  event.preventDefault();
  aim(event);
});
addEventListener("pointermove", (event) => held && aim(event));
for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => (held = undefined));

form.addEventListener("input", (event) => {
  const focus = event.target.type === "range" && event.target.closest("[data-focus]");
  if (focus) mark(focus);
});

function aim(event) {
  const box = held.getBoundingClientRect();
  const focus = held.closest("[data-focus]");
  const [x, y] = sliders(focus);
  x.value = Math.round((100 * (event.clientX - box.left)) / box.width);
  y.value = Math.round((100 * (event.clientY - box.top)) / box.height);
  mark(focus);
  x.dispatchEvent(new Event("input", { bubbles: true }));
}

function mark(focus) {
  const [x, y] = sliders(focus);
  const spot = focus.querySelector("circle");
  spot?.setAttribute("cx", `${x.value}%`);
  spot?.setAttribute("cy", `${y.value}%`);
}

function sliders(focus) {
  return focus.querySelectorAll("input[type=range]");
}
