// List the profiles of a service, and print how many there are: the same in Node, Deno and Bun.

import Socialgate from "@socialgate/client";

const client = new Socialgate({ baseUrl: process.argv[2] ?? "", apiKey: process.argv[3] ?? "" });
let count = 0;
for await (const profile of client.profiles.list()) count += profile.name ? 1 : 0;
console.log(count);
