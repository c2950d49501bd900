// Calls the service with a client that is generated from its OpenAPI document:
// `node client_calls.mjs <address> <key> <bot token>`.
//
// The compiler checks that every request and every field below is in the document, and this program that the service
// returns them. It prints what it read as JSON.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.mjs";

type Problem = components["schemas"]["Problem"];
type Trigger = components["schemas"]["AutomationTrigger"];

declare const process: { argv: string[] };

const [address = "", key = "", botToken = ""] = process.argv.slice(2);
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
const targets = [{ accountId: account.id, options: { chatId: "@generated", disableNotification: true } }];
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
    profile: [shown.timezone, shown.accountCount, shown.description, new Date(shown.createdAt).toISOString()],
    accounts: accounts.data.map((one) => [one.id === account.id, one.platform, one.kind, one.status]),
    verdict: [verdict.valid, ...verdict.errors.map((fault) => [fault.pointer, fault.code])],
    draft: [draft.status, draft.scheduledFor, draft.metadata?.["campaign"], ...draft.targets.map((target) => target.options)],
    hook: [hook.secret?.startsWith("whsec_"), hook.active, hook.stats.lastSuccessAt, hook.events],
    automation: [watched(automation.trigger), ...automation.actions.map((action) => action.type)],
    media: [media.type, media.mimeType, media.fileName, media.size, media.width],
    events: events.data.map((event) => [event.event, event.data["accountId"] === account.id]),
    missing: [missing.status, missing.code],
    refused: [refused.status, refused.code, ...(refused.errors ?? []).map((fault) => fault.pointer)],
    deleted: [deleted.id === draft.id, deleted.deleted satisfies true],
  }),
);
