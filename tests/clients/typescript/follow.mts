// Follow the events of a service, and print the id of each lead: `node follow.mjs URL KEY CURSOR`.

import Socialgate from "@socialgate/client";

const [, , baseUrl = "", apiKey = "", after = ""] = process.argv;
for await (const event of new Socialgate({ baseUrl, apiKey }).events.stream({ after })) {
  if (event.event === "lead.received") console.log(event.data.leadId);
}
