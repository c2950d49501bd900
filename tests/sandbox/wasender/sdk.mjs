// Does what an app does with WaSender's own client, and prints what it was answered.
import { createWasender } from "wasenderapi";

const [url, pat, hook, control] = process.argv.slice(2);
const order = (verb, fields) =>
  fetch(`${control}/${verb}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ platform: "wasender", ...fields }),
  }).then((answer) => answer.json());

const manager = createWasender(undefined, pat, url);
const made = (
  await manager.createWhatsAppSession({
    name: "Bakery",
    phone_number: "+15550100101",
    account_protection: false,
    log_messages: true,
    webhook_url: hook,
    webhook_enabled: true,
    webhook_events: ["messages.received"],
  })
).response.data;
const seen = { made };
seen.list = (await manager.getAllWhatsAppSessions()).response.data;
seen.updated = (await manager.updateWhatsAppSession(made.id, { name: "Other" })).response.data;
seen.connect = (await manager.connectWhatsAppSession(made.id)).response.data;
seen.qr = (await manager.getWhatsAppSessionQRCode(made.id)).response.data;
await order("scan", { account: String(made.id) });

const number = createWasender(made.api_key, pat, url, undefined, undefined, made.webhook_secret);
seen.status = (await number.getSessionStatus()).response;
const upload = (await number.uploadMediaFile({ base64: "iVBORw0KGgo=", mimetype: "image/png" })).response;
const image = await number.sendImage({ to: "+15550200001", imageUrl: upload.publicUrl, text: "look" });
seen.image = image.response.data;
seen.limit = image.rateLimit;
seen.text = (await number.sendText({ to: "+15550200001", text: "hello" })).response.data;
seen.reply = (
  await number.sendQuotedMessage({ to: "+15550200001", text: "again", replyTo: seen.text.msgId })
).response.data;
seen.location = (
  await number.sendLocation({ to: "+15550200001", location: { latitude: "52.5", longitude: "13.4" } })
).response.data;
seen.info = (await number.getMessageInfo(seen.text.msgId)).response.data;
seen.edited = (await number.editMessage(seen.text.msgId, "changed")).response.success;
seen.deleted = (await number.deleteMessage(seen.text.msgId)).response.success;
seen.presence = (await number.sendPresenceUpdate("15550200001@s.whatsapp.net", "composing")).response.data;
seen.exists = (await number.checkIfOnWhatsapp("+15550200001")).response.data;
seen.contacts = (await number.getContacts()).response.data.length;
seen.blocked = (await number.blockContact("15550200002")).response.success;
const [group] = (await number.getGroups()).response.data;
seen.participants = (await number.getGroupParticipants(group.id)).response.data.length;
seen.subject = (await number.getGroupMetadata(group.id)).response.data.subject;

await order("message", { account: String(made.id), attachment: "image", text: "for you" });
const { data } = await fetch(`${control}/deliveries?platform=wasender`).then((answer) => answer.json());
const request = { getHeader: (name) => data[0].headers[name], getRawBody: () => data[0].body };
const event = await number.handleWebhookEvent(request);
seen.event = event.event;
const decrypted = (await number.decryptMediaFile(event.data)).response;
seen.decrypted = (await fetch(decrypted.publicUrl)).status;

const failure = async (work) => {
  try {
    await work();
  } catch (error) {
    return { status: error.statusCode, message: error.apiMessage ?? error.message };
  }
};
seen.wrongToken = await failure(() => createWasender(undefined, "wrong", url).getAllWhatsAppSessions());
seen.invalid = await failure(() => number.sendText({ to: "nobody", text: "x" }));
const forged = { getHeader: () => "forged", getRawBody: () => data[0].body };
seen.forged = await failure(() => number.handleWebhookEvent(forged));
seen.newKey = (await manager.regenerateApiKey(made.id)).response.api_key;
seen.oldKey = await failure(() => number.getSessionStatus());
seen.disconnected = (await manager.disconnectWhatsAppSession(made.id)).response.data.status;
seen.gone = (await manager.deleteWhatsAppSession(made.id)).response.data;
console.log(JSON.stringify(seen));
