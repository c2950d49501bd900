// The seven calls with the client that openapi-generator generates (typescript-fetch):
// `node openapi_generator_calls.js <address> <key> <bot token> <what a later version may send>`. It prints what it read as JSON.

import {
  AccountFromJSON,
  AccountsApi,
  AIApi,
  Configuration,
  ConnectApi,
  EnvelopeFromJSON,
  EventPageFromJSON,
  EventsApi,
  MediaApi,
  ProblemFromJSON,
  ProfilesApi,
  ResponseError,
  TasksApi,
} from "./openapi_generator";
import type { EventEnvelope, PageProfile, Problem } from "./openapi_generator";
import { firstData } from "./streams";

declare const process: { argv: string[] };

const [address = "", key = "", botToken = "", sample = ""] = process.argv.slice(2);
const configuration = new Configuration({ basePath: address, accessToken: key });
const events = new EventsApi(configuration);
const profiles = new ProfilesApi(configuration);

async function refusal(): Promise<Problem> {
  try {
    await profiles.createProfile({ newProfile: { name: "" } });
  } catch (error) {
    if (error instanceof ResponseError) {
      return ProblemFromJSON(await error.response.json());
    }
    throw error;
  }
  throw new Error("A profile without a name was created");
}

async function firstEvent(after: string): Promise<EventEnvelope> {
  const { raw } = await events.streamEventsRaw({ after });
  return EnvelopeFromJSON(JSON.parse(await firstData(raw.body)));
}

async function main(): Promise<void> {
  const start = (await events.listEvents()).nextCursor;
  const made: string[] = [];
  for (const name of ["One", "Two", "Three", "Three"]) {
    made.push((await profiles.createProfile({ newProfile: { name }, idempotencyKey: name })).id);
  }
  const pages: string[] = [];
  let cursor: string | null = null;
  do {
    const page: PageProfile = await profiles.listProfiles(cursor === null ? { limit: 1 } : { limit: 1, cursor });
    pages.push(...page.data.map((one) => one.name));
    cursor = page.nextCursor;
  } while (cursor !== null);
  const telegramConnection = { profileId: made[0] ?? "", botToken };
  await new ConnectApi(configuration).connectTelegram({ telegramConnection });
  const accounts = (await new AccountsApi(configuration).listAccounts()).data;
  const refused = await refusal();
  const file = new File(["%PDF-1.4\n"], "menu.pdf", { type: "application/pdf" });
  const media = await new MediaApi(configuration).uploadMedia({ file });
  const envelope = await firstEvent(start);
  const started = await new AIApi(configuration).aiText({ copyBody: { prompt: "Rye bread" } });
  const task = await new TasksApi(configuration).getTask({ taskId: started.id, wait: 30 });
  const later = JSON.parse(sample);
  const connected = envelope.event === "account.connected" ? envelope.data.accountId : undefined;
  console.log(
    JSON.stringify({
      accounts: accounts.map((one) => [one.platform, one.kind, one.status]),
      replayed: made[2] === made[3],
      pages,
      refused: [refused.status, refused.code, ...(refused.errors ?? []).map((fault) => fault.pointer)],
      media: [media.type, media.mimeType, media.fileName, media.size],
      event: [envelope.event, connected === accounts[0]?.id],
      task: [task.type, task.status, task.type === "ai.copy" ? task.result?.variants.length : undefined],
      later: [
        AccountFromJSON(later.account).kind,
        ...EventPageFromJSON(later.events).data.map((event) =>
          event.event === "message.received" ? event.data.text : event.event,
        ),
      ],
    }),
  );
}

void main();
