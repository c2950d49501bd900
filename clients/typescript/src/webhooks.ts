/** Verifies what hooks receive. */

import { WebhookVerificationError } from "./errors.js";
import type { EventEnvelope } from "./types.js";

const PREFIX = "whsec_";

/** The headers of a request: those of fetch, or an object as Node has them. */
export type AnyHeaders = Headers | Record<string, string | string[] | undefined>;

/** Verifies the requests that hooks receive. It sends nothing, and needs no API key. */
export class Webhooks {
  /**
   * Verify a request, and return its event. `id` is the id of the event, the same each time that it is sent.
   *
   * @param body The raw body. JSON that was parsed and written again has another signature.
   * @param headers All headers of the request.
   * @param secret The secret of the hook, from `hooks.create`.
   * @param tolerance How many seconds old a request may be.
   * @throws WebhookVerificationError if it does not come from Socialgate, was changed on its way, or is too old.
   */
  async unwrap(body: string | Uint8Array, headers: AnyHeaders, secret: string, tolerance = 300): Promise<EventEnvelope> {
    await this.verify(body, headers, secret, tolerance);
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    return { ...(JSON.parse(text) as EventEnvelope), id: headerOf(headers, "webhook-id") };
  }

  /** Verify a request without reading it. Throws `WebhookVerificationError`. */
  async verify(body: string | Uint8Array, headers: AnyHeaders, secret: string, tolerance = 300): Promise<void> {
    const id = headerOf(headers, "webhook-id");
    const sentAt = headerOf(headers, "webhook-timestamp");
    if (!/^\d+$/.test(sentAt)) throw new WebhookVerificationError("The header webhook-timestamp is not a time.");
    if (Math.abs(Date.now() / 1000 - Number(sentAt)) > tolerance) {
      throw new WebhookVerificationError(`The request was sent more than ${tolerance} seconds ago, or later.`);
    }
    const start = new TextEncoder().encode(`${id}.${sentAt}.`);
    const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const signed = new Uint8Array(start.length + content.length);
    signed.set(start);
    signed.set(content, start.length);
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", keyOf(secret), hmac, false, ["verify"]);
    for (const signature of headerOf(headers, "webhook-signature").split(" ")) {
      const [version, value = ""] = signature.split(",");
      const bytes = decode(value);
      // WebCrypto compares in constant time.
      if (version === "v1" && bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed))) return;
    }
    throw new WebhookVerificationError("The signature does not match. Check the secret, and pass the raw body.");
  }
}

function headerOf(headers: AnyHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof found !== "string") throw new WebhookVerificationError(`The header ${name} is missing.`);
  return found;
}

/** Find the key of a secret: that of a generated one is in base64, any other is used as it is. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const generated = secret.startsWith(PREFIX) ? decode(secret.slice(PREFIX.length)) : undefined;
  return generated ?? new TextEncoder().encode(secret);
}

/** Decode base64 with padding; undefined if it is something else. */
function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
