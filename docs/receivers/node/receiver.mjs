// A hook receiver in Node.js that only uses the standard library.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.HOOK_SECRET;
const port = Number(process.env.PORT ?? 3000);
const largestBody = 1024 * 1024;

if (!secret) throw new Error("Set HOOK_SECRET to the secret of the hook.");

async function read(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > largestBody) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isGenuine(body, given = "") {
  const expected = Buffer.from("sha256=" + createHmac("sha256", secret).update(body).digest("hex"));
  const received = Buffer.from(given);
  return received.length === expected.length && timingSafeEqual(received, expected);
}

createServer(async (request, response) => {
  try {
    // The signature covers these exact bytes: verify it before parsing the JSON, and never re-serialize the JSON.
    const body = await read(request);
    if (body === null) return response.writeHead(413, { Connection: "close" }).end();
    if (request.method !== "POST") return response.writeHead(405, { Allow: "POST" }).end();
    if (!isGenuine(body, request.headers["x-service-signature"])) return response.writeHead(401).end();
    // Put the body into your own queue here, and respond immediately. A delivery may arrive twice: if you have seen its
    // webhook-id before, it is the same event.
    console.log(request.headers["x-service-event"], request.headers["webhook-id"]);
    response.writeHead(200).end();
  } catch (error) {
    console.error(error.message);
    response.destroy();
  }
}).listen(port, "127.0.0.1");
