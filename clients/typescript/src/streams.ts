/** The stream of events, which goes on where it stopped when the connection breaks. */

import { Resource, pause, readRetryAfter } from "./core.js";
import { readError } from "./errors.js";
import type { EventEnvelope, StreamQueryEvent } from "./types.js";

// The service sends something every 15 seconds: after three times this long, the connection is broken.
const SILENCE = 45_000;
const FIRST_DELAY = 500;
const MAX_DELAY_MS = 15_000;

/** Adds the stream to the methods of events. */
export class EventStream extends Resource {
  /**
   * Follow the events as they happen, for as long as you read them.
   *
   * If the connection breaks, it is opened again, and continues after the last event: none is missed.
   *
   * @param params.after Start after this position: the `cursor` of an event, or the `nextCursor` of `events.list`.
   *   Without it, the stream starts now.
   * @param params.event Only events with this name.
   */
  async *stream(
    params: { after?: string; event?: StreamQueryEvent } = {},
    options: { signal?: AbortSignal } = {},
  ): AsyncGenerator<EventEnvelope & { cursor: string }, void, undefined> {
    let after = params.after;
    let delay = FIRST_DELAY;
    for (;;) {
      const quiet = new Quiet(options.signal);
      try {
        const query = { after, event: params.event };
        const headers = { accept: "text/event-stream" };
        const response = await this.http.open({ method: "GET", path: "/events/stream", query, headers }, quiet.signal);
        if (response.ok && response.body) {
          for await (const frame of readFrames(response.body, quiet)) {
            delay = FIRST_DELAY;
            after = frame.id ?? after;
            // Frames without data only say where the stream starts, and the progress of tasks is not an event.
            if (frame.data && frame.event !== "task.progress") {
              yield { ...(JSON.parse(frame.data) as EventEnvelope), cursor: after ?? "" };
            }
          }
        } else if (response.status < 500 && response.status !== 429 && response.status !== 409) {
          throw new Refused(await readError(response));
        } else {
          delay = Math.max(delay, Math.min(1000 * (readRetryAfter(response) ?? 0), MAX_DELAY_MS));
        }
      } catch (error) {
        if (error instanceof Refused) throw error.cause;
        if (options.signal?.aborted) return;
      } finally {
        quiet.end();
      }
      await pause(delay, options.signal).catch(() => undefined);
      if (options.signal?.aborted) return;
      delay = Math.min(2 * delay, MAX_DELAY_MS);
    }
  }
}

class Refused extends Error {
  constructor(override readonly cause: Error) {
    super();
  }
}

/** Ends a connection on which nothing arrives any more, or that nobody reads any more. */
class Quiet {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal ? AbortSignal.any([this.#controller.signal, signal]) : this.#controller.signal;
    this.heard();
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), SILENCE);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}

interface Frame {
  id?: string;
  event?: string;
  data?: string;
}

async function* readFrames(body: ReadableStream<Uint8Array>, quiet: Quiet): AsyncGenerator<Frame, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let frame: Frame = {};
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    quiet.heard();
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        yield frame;
        frame = {};
        continue;
      }
      const [, name = "", text = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === "data") frame.data = frame.data === undefined ? text : `${frame.data}\n${text}`;
      else if (name === "id" || name === "event") frame[name] = text;
    }
  }
}
