// What differs between Node, Deno, Bun and browsers: requests, chunks of a file, streams and cryptography.
// `node runtime.mts '<what it needs to know as JSON>'` prints what it saw as JSON; a page in a browser calls `useClient`.

import Socialgate from "@socialgate/client";

export interface Known {
  url: string;
  key: string;
  after: string;
  film: string;
  hook: { body: string; headers: Record<string, string>; secret: string };
}

export async function useClient(known: Known): Promise<unknown[]> {
  const client = new Socialgate({ baseUrl: known.url, apiKey: known.key });
  const names: string[] = [];
  for await (const profile of client.profiles.list()) names.push(profile.name);
  const film = new Blob([Uint8Array.from(atob(known.film), (letter) => letter.charCodeAt(0))]);
  const media = await client.media.upload(film, { fileName: "film.mp4", chunkBytes: Math.ceil(film.size / 3) });
  const seen: string[] = [];
  for await (const event of client.events.stream({ after: known.after })) {
    seen.push(event.event);
    break;
  }
  const verified = await client.webhooks.unwrap(known.hook.body, known.hook.headers, known.hook.secret);
  return [names, media.type, media.size === film.size, seen, verified.event];
}

if (typeof process !== "undefined") console.log(JSON.stringify(await useClient(JSON.parse(process.argv[2] ?? ""))));
