// The first event of a stream, for clients that leave reading it to their users.

/** Return the `data` of the first frame that has one. */
export async function firstData(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) {
    throw new Error("The stream is empty");
  }
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let text = ""; ; ) {
    const line = text.split("\n").find((one) => one.startsWith("data: {"));
    if (line !== undefined && text.includes(`${line}\n`)) {
      await reader.cancel();
      return line.slice("data: ".length);
    }
    const { done, value } = await reader.read();
    if (done) {
      throw new Error("The stream ended");
    }
    text += decoder.decode(value, { stream: true });
  }
}
