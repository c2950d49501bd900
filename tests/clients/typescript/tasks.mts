// What people do with the client: `node tasks.mjs '<what it needs to know as JSON>'`. It prints what it saw as JSON.
// Each task stands alone, and is the same in every language (tests/clients/python/tasks.py).

import { openAsBlob } from "node:fs";
import Socialgate, {
  AuthenticationError,
  Conflict,
  NotFound,
  ValidationError,
  WebhookVerificationError,
} from "@socialgate/client";
import type { types } from "@socialgate/client";

interface Known {
  url: string;
  key: string;
  profileId: string;
  adAccountId: string;
  botToken: string;
  facebook: string;
  threads: string;
  telegram: string;
  chatId: string;
  photo: string;
  photoId: string;
  film: string;
  chunk: number;
  drafts: number;
  postId: string;
  once: string;
  csv: string;
  hook: { body: string; headers: Record<string, string>; secret: string };
}

const known = JSON.parse(process.argv[2] ?? "{}") as Known;
const { profileId } = known;
const client = new Socialgate({ baseUrl: known.url, apiKey: known.key });
const start = (await client.events.list({ limit: 200 }).firstPage()).nextCursor;

/** Return a client whose first request meets a fault. */
function failing(fault: string): Socialgate {
  return client.withOptions({ headers: { "x-fault": fault } });
}

async function refused<E>(kind: new (...given: never[]) => E, call: () => PromiseLike<unknown>): Promise<E> {
  try {
    await call();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`not refused with ${kind.name}`);
}

async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const rows: T[] = [];
  for await (const row of list) rows.push(row);
  return rows;
}

async function named(name: string): Promise<number> {
  return (await collect(client.profiles.list())).filter((profile) => profile.name === name).length;
}

const tasks: Record<string, () => Promise<unknown>> = {
  async health() {
    return (await client.health.get()).status;
  },

  async start_connecting() {
    return (await client.connect.start("tiktok", { profileId })).authUrl.startsWith("http");
  },

  async connect() {
    const account = await client.connect.telegram({ profileId, botToken: known.botToken });
    known.telegram = account.id;
    const again = await client.accounts.get(account.id);
    return [account.platform, account.kind, account.status, again.id === account.id];
  },

  async list_accounts() {
    return (await collect(client.accounts.list({ profileId }))).map((account) => account.kind).sort();
  },

  async upload() {
    const photo = await client.media.upload(await openAsBlob(known.photo), { fileName: "oven.jpg" });
    known.photoId = photo.id;
    return [photo.type, photo.mimeType, photo.fileName, photo.width];
  },

  async upload_in_chunks() {
    const seen: number[] = [];
    const options = { chunkBytes: known.chunk, onProgress: (received: number) => void seen.push(received) };
    const media = await failing("drop PATCH").media.upload(await openAsBlob(known.film), options);
    const sorted = [...seen].sort((one, other) => one - other);
    return [media.type, media.size, String(seen) === String(sorted), seen.length > 2];
  },

  async validate() {
    const verdict = await client.posts.validate({ profileId, content: "x".repeat(600), targets: [known.threads] });
    return [verdict.valid, verdict.errors[0]?.pointer, verdict.errors[0]?.code];
  },

  async post_to_three_kinds() {
    const options = { kind: "telegram_bot" as const, chatId: known.chatId, disableNotification: true };
    let post = await client.posts.create({
      profileId,
      content: "Fresh out of the oven",
      media: [known.photoId],
      targets: [known.facebook, await client.accounts.get(known.threads), { accountId: known.telegram, options }],
      publishNow: true,
    });
    known.postId = post.id;
    while (post.status === "publishing" || post.status === "scheduled") {
      await new Promise((resolve) => setTimeout(resolve, 100));
      post = await client.posts.get(post.id);
    }
    return [post.status, post.targets.map((target) => target.status).sort(), post.media.length];
  },

  async paginate() {
    const names = Array.from({ length: known.drafts }, (_, number) => `Draft ${number}`);
    for (let from = 0; from < names.length; from += 10) {
      const some = names.slice(from, from + 10);
      await Promise.all(some.map((content) => client.posts.create({ profileId, content, draft: true })));
    }
    const drafts = await collect(client.posts.list({ status: "draft", limit: 10 }));
    const pages = await collect(client.posts.list({ status: "draft", limit: 10 }).pages());
    const ids = new Set(drafts.map((post) => post.id));
    return [ids.size === drafts.length && ids.size >= known.drafts, pages.length >= known.drafts / 10];
  },

  async invalid() {
    const error = await refused(ValidationError, () => client.profiles.create({ name: "" }));
    const pointers = error.errors.map((fault) => fault.pointer);
    return [error.status, error.code, pointers, error.idempotencyKey?.slice(0, 3)];
  },

  async missing() {
    const error = await refused(NotFound, () => client.posts.get("post_01h455vb4pex5vsknk084sn02q"));
    return [error.status, error.code, error.requestId.slice(0, 4)];
  },

  async unauthenticated() {
    const stranger = new Socialgate({ baseUrl: known.url, apiKey: "sg_test_wrong" });
    return (await refused(AuthenticationError, () => stranger.profiles.list().firstPage())).code;
  },

  async limited() {
    const { name } = await failing("limit 1").profiles.create({ name: "After a limit" });
    return [name, await named(name)];
  },

  async dropped() {
    const { name } = await failing("drop 1").profiles.create({ name: "After a break" });
    return [name, await named(name)];
  },

  async stale() {
    const { data: profile, response } = await client.profiles.create({ name: "Read" }).withResponse();
    const ifMatch = response.headers.get("etag") ?? "";
    await client.profiles.update(profile.id, { name: "Changed" }, { ifMatch });
    const error = await refused(Conflict, () => client.profiles.update(profile.id, { name: "Too late" }, { ifMatch }));
    const { name } = await client.profiles.get(profile.id);
    return [error.status, name, (await client.profiles.delete(profile.id)).deleted];
  },

  async replay() {
    const once = { idempotencyKey: known.once };
    const first = await client.profiles.create({ name: "Once" }, once).withResponse();
    const second = await client.profiles.create({ name: "Once" }, once).withResponse();
    const replayed = second.response.headers.get("idempotent-replayed");
    return [first.response.status, replayed, first.data.id === second.data.id];
  },

  async stream() {
    const seen: string[] = [];
    for await (const event of failing("cut 1").events.stream({ after: start })) {
      seen.push(event.event);
      if (event.event === "account.connected" && !event.data.accountId) throw new Error("no account");
      if (event.event === "post.published") break;
    }
    let first = "";
    for await (const event of client.events.stream({ after: start })) {
      first = event.event;
      break;
    }
    const count = (name: string): number => seen.filter((one) => one === name).length;
    return [count("account.connected") >= 1, count("post.published"), first === seen[0]];
  },

  async verify_hook() {
    const { body, headers, secret } = known.hook;
    const event = await client.webhooks.unwrap(body, headers, secret);
    const forged = body.replace("test", "text");
    const error = await refused(WebhookVerificationError, () => client.webhooks.unwrap(forged, headers, secret));
    return [event.event, event.id === headers["webhook-id"], error.message.includes("signature")];
  },

  async wait_for_task() {
    const seen: string[] = [];
    const started = await client.ai.text({ prompt: "Rye bread" });
    const task = await client.tasks.wait(started, { onProgress: (one) => void seen.push(one.status) });
    if (task.type !== "ai.copy") throw new Error(task.type);
    return [task.type, task.status, task.result?.variants?.length, seen.at(-1)];
  },

  async boost() {
    const created = await client.ads.boost({
      adAccountId: known.adAccountId,
      accountId: known.facebook,
      postId: known.postId,
      name: "Boosted",
      budget: { amount: 80_000, currency: "SEK", type: "daily" },
      targeting: { countries: ["NO"] },
    });
    return [created.configuredStatus, created.name];
  },

  async import_products() {
    const { adAccountId } = known;
    const catalog = await client.catalogs.create({ adAccountId, name: known.once });
    const batch = await client.products.batch({ adAccountId, catalogId: catalog.id, csv: known.csv });
    const task: types.Task = await client.tasks.wait(batch);
    const rows = await collect(client.products.batchRows(batch.id, { limit: 40 }));
    return [batch.rows, task.status, new Set(rows.map((row) => row.row)).size];
  },

  async queue() {
    const slot = await client.queue.slots.create({ profileId, weekday: "monday", time: "09:00" });
    const following = await client.queue.nextSlot({ profileId });
    const { deleted } = await client.queue.slots.delete(slot.id);
    return [slot.weekday, slot.time, following.slotId === slot.id, deleted];
  },

  async request() {
    const created = await client.request<{ name: string }>("post", "/profiles", { body: { name: "By its path" } });
    const page = await client.request<{ data: unknown[] }>("GET", "/profiles", { query: { limit: 1 } }).withResponse();
    return [created.name, page.response.status, page.data.data.length];
  },

  async later_versions() {
    const [account] = (await failing("later 1").accounts.list().firstPage()).data;
    const { moonPhase } = account as unknown as { moonPhase: string };
    return [account?.kind, { moonPhase }, moonPhase];
  },

  async log_without_secrets() {
    const lines: string[] = [];
    const watched = client.withOptions({ log: (line) => void lines.push(line) });
    await watched.profiles.list({ limit: 1 }).firstPage();
    const written = lines.join("\n");
    return [written.includes("GET /profiles: 200"), !written.includes(known.key), !String(watched).includes(known.key)];
  },
};

const seen: Record<string, unknown> = {};
for (const [name, task] of Object.entries(tasks)) seen[name] = await task();
console.log(JSON.stringify(seen));
