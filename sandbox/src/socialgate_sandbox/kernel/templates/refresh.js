"use strict";
// Shows what is new without reloading the page, which would lose what somebody is typing.
const PAUSE = 2000;
// The address without a person shows whoever wrote last; the page stays with the person that it shows.
const ADDRESS = document.querySelector("[data-address]").dataset.address;
const parts = () => [...document.querySelectorAll("[data-refresh]")];
const isInUse = (part) => part.contains(document.activeElement) || part.querySelector("details[open]") !== null;

async function refresh() {
  if (document.visibilityState !== "visible") return;
  const answer = await fetch(ADDRESS, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const wanted = fresh.querySelectorAll("[data-refresh]");
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 80;
  parts().forEach((part, place) => {
    const next = wanted[place];
    if (next === undefined || isInUse(part) || part.innerHTML === next.innerHTML) return;
    part.replaceWith(next.cloneNode(true));
    if (atEnd) document.documentElement.scrollTop = document.documentElement.scrollHeight;
  });
}

async function repeat() {
  try {
    await refresh();
  } catch {
    // The sandbox is being restarted.
  }
  setTimeout(repeat, PAUSE);
}

setTimeout(repeat, PAUSE);
