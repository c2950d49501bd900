// The seven calls with the client that @hey-api/openapi-ts generates: `node hey_api_calls.js <address> <key> <bot token> <what a later version may send>`.
// It prints what it read as JSON.

import { client } from "./hey_api/client.gen";
import {
  connectTelegram,
  createProfile,
  aiText,
  listAccounts,
  listEvents,
  listProfiles,
  getTask,
  streamEvents,
  uploadMedia,
} from "./hey_api";
import type { Account, EventEnvelope, EventPage, PageProfile } from "./hey_api";

declare const process: { argv: string[] };

const [address = "", key = "", botToken = "", sample = ""] = process.argv.slice(2);
client.setConfig({ baseUrl: address, auth: key });

/** Return the data of a response; an error ends the program. */
function dataOf<Data>(answer: { data: Data | undefined; error?: unknown }): Data {
  if (answer.data === undefined) {
    throw new Error(JSON.stringify(answer.error));
  }
  return answer.data;
}

async function firstEvent(after: string): Promise<EventEnvelope> {
  const connection = new AbortController();
  const { stream } = await streamEvents({ query: { after }, signal: connection.signal });
  for await (const envelope of stream) {
    connection.abort();
    return envelope;
  }
  throw new Error("The stream ended");
}

/** The `event` narrows the union: each case knows the `data` of its own event. */
function accountIn(envelope: EventEnvelope): string | null | undefined {
  return envelope.event === "account.connected" ? envelope.data.accountId : undefined;
}

async function main(): Promise<void> {
  const start = dataOf(await listEvents()).nextCursor;
  const made: string[] = [];
  for (const name of ["One", "Two", "Three", "Three"]) {
    made.push(dataOf(await createProfile({ body: { name }, headers: { "Idempotency-Key": name } })).id);
  }
  const pages: string[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = cursor === null ? { limit: 1 } : { limit: 1, cursor };
    const page: PageProfile = dataOf(await listProfiles({ query }));
    pages.push(...page.data.map((one) => one.name));
    cursor = page.nextCursor;
  } while (cursor !== null);
  await connectTelegram({ body: { profileId: made[0] ?? "", botToken }, throwOnError: true });
  const accounts = dataOf(await listAccounts()).data;
  const { error: refused } = await createProfile({ body: { name: "" } });
  const file = new File(["%PDF-1.4\n"], "menu.pdf", { type: "application/pdf" });
  const media = dataOf(await uploadMedia({ body: { file } }));
  const envelope = await firstEvent(start);
  const started = dataOf(await aiText({ body: { prompt: "Rye bread" } }));
  const task = dataOf(await getTask({ path: { taskId: started.id }, query: { wait: 30 } }));
  const later: { account: Account; events: EventPage } = JSON.parse(sample);
  const newKind: Account["kind"] = "kind_of_tomorrow";
  console.log(
    JSON.stringify({
      accounts: accounts.map((one) => [one.platform, one.kind, one.status]),
      replayed: made[2] === made[3],
      pages,
      refused: [refused?.status, refused?.code, ...(refused?.errors ?? []).map((fault) => fault.pointer)],
      media: [media.type, media.mimeType, media.fileName, media.size],
      event: [envelope.event, accountIn(envelope) === accounts[0]?.id],
      task: [task.type, task.status, task.type === "ai.copy" ? task.result?.variants.length : undefined],
      later: [
        later.account.kind === newKind ? newKind : null,
        ...later.events.data.map((event) => (event.event === "message.received" ? event.data.text : event.event)),
      ],
    }),
  );
}

void main();
