// Calls the service with openapi-fetch and the types that openapi-typescript generates from its OpenAPI document:
// `node openapi_fetch_calls.mjs <address> <key> <bot token> <what a later version may send>`. First the seven calls that every client makes, then more.
//
// The compiler checks that every request and every field below is in the document, and this program that the service
// returns them. It prints what it read as JSON.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.mjs";
import { firstData } from "./streams.js";

type Account = components["schemas"]["Account"];
type Envelope = components["schemas"]["EventEnvelope"];
type EventPage = components["schemas"]["EventPage"];
type Problem = components["schemas"]["Problem"];
type Task = components["schemas"]["Task"];
type Trigger = components["schemas"]["AutomationTrigger"];

declare const process: { argv: string[] };

const [address = "", key = "", botToken = "", sample = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${key}` } });

/** Return the data of a response; an error ends the program with its message. */
function dataOf<Data>(answer: { data?: Data; error?: Problem }): Data {
  if (answer.data === undefined) {
    throw new Error(`${answer.error?.code}: ${answer.error?.detail}`);
  }
  return answer.data;
}

/** Return the error of a response that must be one. */
function problemOf(answer: { data?: unknown; error?: Problem }): Problem {
  if (answer.error === undefined) {
    throw new Error(`An error was expected, not ${JSON.stringify(answer.data)}`);
  }
  return answer.error;
}

/** The `type` narrows the union: each case can only read the fields of its own trigger. */
function watched(trigger: Trigger): string {
  switch (trigger.type) {
    case "message.received":
      return `messages to ${(trigger.accountIds ?? []).length} account`;
    case "schedule":
      return `the times ${trigger.times.join(", ")}`;
    default:
      return trigger.type;
  }
}

/** The `event` narrows the union: each case knows the `data` of its own event. */
function accountIn(envelope: Envelope): string | null | undefined {
  switch (envelope.event) {
    case "account.connected":
      return envelope.data.accountId;
    case "message.received":
      return envelope.data.conversationId;
    default:
      return undefined;
  }
}

/** The `type` narrows the union: only a generated text has variants. */
function variantsOf(task: Task): number | undefined {
  return task.type === "ai.copy" ? task.result?.variants.length : undefined;
}

const start = dataOf(await client.GET("/events")).nextCursor;
const made: string[] = [];
for (const name of ["One", "Two", "Three", "Three"]) {
  const answer = await client.POST("/profiles", { params: { header: { "Idempotency-Key": name } }, body: { name } });
  made.push(dataOf(answer).id);
}
const pages: string[] = [];
let cursor: string | null = null;
do {
  const query: { limit: number; cursor?: string } = cursor === null ? { limit: 1 } : { limit: 1, cursor };
  const page: components["schemas"]["Page_Profile_"] = dataOf(await client.GET("/profiles", { params: { query } }));
  pages.push(...page.data.map((one) => one.name));
  cursor = page.nextCursor;
} while (cursor !== null);

const profile = dataOf(
  await client.POST("/profiles", { body: { name: "Generated", timezone: "America/Lima" } }),
);
const shown = dataOf(
  await client.GET("/profiles/{profileId}", { params: { path: { profileId: profile.id } } }),
);
const account = dataOf(
  await client.POST("/connect/telegram", { body: { profileId: profile.id, botToken } }),
);
const accounts = dataOf(
  await client.GET("/accounts", { params: { query: { profileId: profile.id, status: "connected" } } }),
);
const stream = await client.GET("/events/stream", { params: { query: { after: start } }, parseAs: "stream" });
const envelope: Envelope = JSON.parse(await firstData(dataOf(stream)));
const started = dataOf(await client.POST("/ai/generate-copy", { body: { prompt: "Rye bread" } }));
const task = dataOf(
  await client.GET("/tasks/{taskId}", { params: { path: { taskId: started.id }, query: { wait: 30 } } }),
);
const later: { account: Account; events: EventPage } = JSON.parse(sample);
const newKind: Account["kind"] = "kind_of_tomorrow";

const options = { kind: "telegram_bot" as const, chatId: "@generated", disableNotification: true };
const targets = [{ accountId: account.id, options }];
const verdict = dataOf(
  await client.POST("/posts/validate", { body: { profileId: profile.id, content: "a".repeat(5000), targets } }),
);
const draft = dataOf(
  await client.POST("/posts", {
    params: { header: { "Idempotency-Key": "generated-1" } },
    body: { profileId: profile.id, content: "A draft", draft: true, targets, metadata: { campaign: "spring" } },
  }),
);
const hook = dataOf(
  await client.POST("/hooks", { body: { url: "https://hooks.example.com/in", events: ["post.published"] } }),
);
const automation = dataOf(
  await client.POST("/automations", {
    body: {
      profileId: profile.id,
      name: "Greeting",
      trigger: { type: "message.received", accountIds: [account.id] },
      actions: [{ type: "sendMessage", text: "Hello" }],
    },
  }),
);
const media = dataOf(
  await client.POST("/upload", {
    params: { query: { profileId: profile.id } },
    body: { file: "" },
    bodySerializer: () => {
      const form = new FormData();
      form.set("file", new Blob(["%PDF-1.4\n"], { type: "application/pdf" }), "menu.pdf");
      return form;
    },
  }),
);
const events = dataOf(await client.GET("/events", { params: { query: { event: "account.connected" } } }));
const missing = problemOf(
  await client.GET("/profiles/{profileId}", { params: { path: { profileId: "prf_none" } } }),
);
const refused = problemOf(await client.POST("/profiles", { body: { name: "" } }));
const deleted = dataOf(
  await client.DELETE("/posts/{postId}", { params: { path: { postId: draft.id } } }),
);

console.log(
  JSON.stringify({
    accounts: accounts.data.map((one) => [one.platform, one.kind, one.status]),
    replayed: made[2] === made[3],
    pages,
    refused: [refused.status, refused.code, ...(refused.errors ?? []).map((fault) => fault.pointer)],
    media: [media.type, media.mimeType, media.fileName, media.size],
    event: [envelope.event, accountIn(envelope) === account.id],
    task: [task.type, task.status, variantsOf(task)],
    later: [
      later.account.kind === newKind ? newKind : null,
      ...later.events.data.map((event) => (event.event === "message.received" ? event.data.text : event.event)),
    ],
    more: {
      profile: [shown.timezone, shown.accountCount, shown.description, new Date(shown.createdAt).toISOString()],
      verdict: [verdict.valid, ...verdict.errors.map((fault) => [fault.pointer, fault.code])],
      draft: [draft.status, draft.scheduledFor, draft.metadata?.["campaign"], ...draft.targets.map((target) => target.options)],
      hook: [hook.secret?.startsWith("whsec_"), hook.active, hook.stats.lastSuccessAt, hook.events],
      automation: [watched(automation.trigger), ...automation.actions.map((action) => action.type)],
      events: events.data.map((event) => [event.event, event.event === "account.connected" && event.data.name !== ""]),
      missing: [missing.status, missing.code],
      deleted: [deleted.id === draft.id, deleted.deleted satisfies true],
    },
  }),
);
