import { createHmac, timingSafeEqual } from "node:crypto";

const PREFIX = "whsec_";
const TOLERANCE_SECONDS = 300;

/** Say why a delivery is refused; undefined if it comes from the service, unchanged and now. */
export function findForgery(body: Buffer, headers: Record<string, unknown>, secret: string): string | undefined {
  const [id, sentAt, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name]);
  if (typeof id !== "string" || typeof sentAt !== "string" || typeof signatures !== "string") {
    return "The headers of the signature are missing.";
  }
  if (!/^\d+$/.test(sentAt) || Math.abs(Date.now() / 1000 - Number(sentAt)) > TOLERANCE_SECONDS) {
    return "The delivery was not sent within the last five minutes.";
  }
  const signed = Buffer.concat([Buffer.from(`${id}.${sentAt}.`), body]);
  const expected = createHmac("sha256", keyOf(secret)).update(signed).digest();
  const isGenuine = signatures.split(" ").some((signature) => {
    const [version, value = ""] = signature.split(",");
    const given = Buffer.from(value, "base64");
    // In constant time, so that how long it takes says nothing about the right signature.
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isGenuine ? undefined : "The signature does not match.";
}

/** The key of a generated secret is in base64; any other secret is used as it is. */
function keyOf(secret: string): Buffer {
  const text = secret.slice(PREFIX.length);
  const isGenerated = secret.startsWith(PREFIX) && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  return isGenerated ? Buffer.from(text, "base64") : Buffer.from(secret);
}
