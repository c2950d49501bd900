// One stream for the page: events are passed on inside it, and lists say quietly how many new things there are.
const RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 120;

const listeners = new Set();

// Modules of pages listen here: `listen((name, envelope) => ...)`. Returns a function that stops it.
export function listen(listener) {
  listeners.add(listener);
  if (listeners.size === 1) connect();
  return () => listeners.delete(listener);
}

export function watchLive(root = document) {
  for (const news of root.querySelectorAll("[data-news]")) watchNews(news);
}

function watchNews(news) {
  const names = new Set(news.dataset.news.split(" "));
  const profile = new URL(location.href).searchParams.get("profile");
  let count = 0;
  listen((name, envelope) => {
    if (!names.has(name) || (profile && envelope.profileId !== profile)) return;
    // What somebody types is not lost.
    const isFree = !document.activeElement?.matches("input, textarea, select");
    if ("newsFirst" in news.dataset && isFree) return location.replace(news.querySelector("a").href);
    count += 1;
    news.querySelector("[data-news-count]").textContent = `${count} new`;
    news.hidden = false;
  });
}

let source;
let pause = RETRY_SECONDS;

function connect() {
  if (source || document.hidden) return;
  source = new EventSource("/events/stream");
  source.onopen = () => (pause = RETRY_SECONDS);
  // The browser tries again by itself after a lost connection, but not after an answer with an error.
  source.onerror = () => {
    if (source?.readyState !== EventSource.CLOSED) return;
    source = undefined;
    setTimeout(connect, pause * 1000);
    pause = Math.min(pause * 2, MAX_RETRY_SECONDS);
  };
  for (const name of eventNames()) {
    source.addEventListener(name, (message) => {
      for (const listener of listeners) listener(name, JSON.parse(message.data));
    });
  }
}

function eventNames() {
  const named = document.querySelectorAll("[data-events], [data-news]");
  return new Set([...named].flatMap((item) => (item.dataset.events ?? item.dataset.news).split(" ")));
}

// A page that was opened in the background connects when it is first shown.
document.addEventListener("visibilitychange", () => {
  if (listeners.size) connect();
});
