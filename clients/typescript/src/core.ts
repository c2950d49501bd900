/** How requests are sent: time-outs, retries with one key per call, errors, and pages. */

import { ConnectionError, SocialgateError, TimeoutError, isProblem, readError } from "./errors.js";
import { VERSION } from "./version.js";

const FIRST_DELAY = 500;
const MAX_DELAY_MS = 8_000;
// Who asks to wait longer than this does not expect a program to wait for it.
const MAX_WAIT_SECONDS = 60;

/** How a client sends its requests. */
export interface ClientOptions {
  /** The URL of the service. By default the environment variable `SOCIALGATE_URL`. */
  baseUrl?: string;
  /** An API key. By default the environment variable `SOCIALGATE_API_KEY`. */
  apiKey?: string;
  /** How many milliseconds to wait for a response. By default 60 seconds. */
  timeout?: number;
  /** How often a request is sent again after a failure that may pass. By default 5. */
  maxRetries?: number;
  /** Headers that every request gets. */
  headers?: Record<string, string>;
  /** What sends requests, if it is not the `fetch` of the platform. */
  fetch?: typeof fetch;
  /** Called with a line for each request: method, path, status and time, never a secret. */
  log?: (line: string) => void;
}

/** What one call has of its own. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
  timeout?: number;
  maxRetries?: number;
  headers?: Record<string, string>;
}

/** What a call that creates something has of its own. */
export interface WriteOptions extends CallOptions {
  /** The same key does it once, however often it is called. By default each call has its own. */
  idempotencyKey?: string;
}

/** What a call that changes something has of its own. */
export interface ChangeOptions extends WriteOptions {
  /** Change only this version: the `ETag` of a response. Raises `Conflict` if it has changed since. */
  ifMatch?: string;
}

export type Json = Record<string, unknown>;

/** What is sent. */
export interface Request {
  method: string;
  path: string;
  query?: object | undefined;
  body?: object | undefined;
  content?: BodyInit | undefined;
  headers?: Record<string, string>;
  /** It takes an `Idempotency-Key`. */
  once?: boolean;
  /** Whether doing it twice does no harm, if that is not what its method says. */
  mayRepeat?: boolean;
}

/** A response with its status and headers, and what was read from it. */
export interface WithResponse<T> {
  data: T;
  response: Response;
}

/** What a method returns: `await` it to get the result, or `await call.withResponse()` for status and headers too. */
export class Call<T> extends Promise<T> {
  readonly #answer: Promise<WithResponse<T>>;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(answer: Promise<WithResponse<T>>) {
    super((resolve) => resolve(undefined as T));
    this.#answer = answer;
  }

  withResponse(): Promise<WithResponse<T>> {
    return this.#answer;
  }

  override then<A = T, B = never>(
    onDone?: ((value: T) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onDone, onFailed);
  }
}

/** A page of a list. */
export interface AnyPage<T> {
  data: T[];
  nextCursor: string | null;
}

/** A list: iterate over it with `for await` to get all rows. `pages()` returns them page by page. */
export class Pages<T, P extends AnyPage<T>> implements AsyncIterable<T> {
  constructor(private readonly fetchPage: (cursor?: string) => Call<P>, private readonly isFeed = false) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Return page by page, with what else they contain. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: P = await this.fetchPage(cursor ?? undefined);
      yield page;
      // A feed of events has no last page, but there is nothing more for now.
      cursor = this.isFeed && page.data.length === 0 ? null : page.nextCursor;
    } while (cursor !== null);
  }

  /** Fetch the first page only. Its `nextCursor` says where the next one starts. */
  firstPage(): Call<P> {
    return this.fetchPage();
  }
}

/** A group of methods. */
export class Resource {
  constructor(protected readonly http: Http) {}
}

/** Fill in the parameters of a path, which may contain anything. */
export function path(parts: TemplateStringsArray, ...ids: string[]): string {
  for (const id of ids) if (!id) throw new SocialgateError(`An id in ${parts.join("{}")} is empty.`);
  return parts.reduce((text, part, index) => text + encodeURIComponent(ids[index - 1] ?? "") + part);
}

/** Divide what was given into the query and the body. */
export function divide(params: object, query: readonly string[]): { query: Json; body: Json } {
  const divided: { query: Json; body: Json } = { query: {}, body: {} };
  for (const [name, value] of Object.entries(params)) divided[query.includes(name) ? "query" : "body"][name] = value;
  return divided;
}

/** Make objects of ids alone, or of what the API returned: `acc_…`, or an account. */
export function expand(params: object, names: Record<string, string>): object {
  const result: Json = { ...params };
  for (const [field, key] of Object.entries(names)) {
    const value = result[field];
    if (Array.isArray(value)) result[field] = value.map((item: unknown) => expandItem(item, key));
  }
  return result;
}

function expandItem(item: unknown, key: string): unknown {
  if (typeof item === "string") return key === "mediaId" && item.includes("://") ? { url: item } : { [key]: item };
  const { id } = item as { id?: unknown };
  return typeof id === "string" ? { [key]: id } : item;
}

/** Sends requests. */
export class Http {
  readonly baseUrl: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    const env = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
    this.baseUrl = (options.baseUrl ?? env["SOCIALGATE_URL"] ?? "").replace(/\/+$/, "");
    this.#options = { ...options, apiKey: options.apiKey ?? env["SOCIALGATE_API_KEY"] ?? "" };
    if (!/^https?:\/\//.test(this.baseUrl)) {
      throw new SocialgateError("The URL of the service is missing. Pass baseUrl, or set SOCIALGATE_URL.");
    }
  }

  /** Send a request, and read what its method returns. */
  call<T>(request: Request, options: ChangeOptions = {}, read: (response: Response) => Promise<T> = readJson): Call<T> {
    const answer = this.fetch(request, options).then(async (response) => ({ data: await read(response), response }));
    return new Call(answer);
  }

  /** Return a list that is fetched page by page. */
  list<T, P extends AnyPage<T>>(request: Request, cursor: string, options?: CallOptions): Pages<T, P> {
    const fetchPage = (value?: string): Call<P> => {
      const query = value === undefined ? request.query : { ...request.query, [cursor]: value };
      return this.call<P>({ ...request, query }, options);
    };
    return new Pages<T, P>(fetchPage, cursor === "after");
  }

  /** Send a request until there is a response that counts, and throw an error of the service. */
  async fetch(request: Request, options: ChangeOptions = {}): Promise<Response> {
    const key = request.once ? (options.idempotencyKey ?? `sg-${crypto.randomUUID()}`) : undefined;
    const most = options.maxRetries ?? this.#options.maxRetries ?? 5;
    for (let attempt = 0; ; attempt++) {
      const started = Date.now();
      let delay: number | undefined;
      try {
        const response = await this.#send(request, options, key);
        const id = response.headers.get("x-request-id") ?? "";
        this.#log(`${request.method} ${request.path}: ${response.status} in ${Date.now() - started} ms (${id})`);
        if (response.ok) return response;
        delay = attempt < most ? await delayAfter(response, request, key, attempt) : undefined;
        if (delay === undefined) throw await readError(response, key);
      } catch (error) {
        if (error instanceof SocialgateError) throw error;
        options.signal?.throwIfAborted();
        const timedOut = error instanceof DOMException && error.name === "TimeoutError";
        this.#log(`${request.method} ${request.path}: ${timedOut ? "no response" : "the connection broke"}`);
        if (attempt >= most || !isRepeatable(request, options, key)) {
          const kind = timedOut ? TimeoutError : ConnectionError;
          throw new kind(`${request.method} ${request.path}: ${describe(error)}`, key, { cause: error });
        }
        delay = backoff(attempt);
      }
      await pause(delay, options.signal);
    }
  }

  /** Open a response that is read as it arrives. Nothing is sent again. */
  open(request: Request, signal: AbortSignal): Promise<Response> {
    return this.#fetch(request, {}, undefined, signal);
  }

  #send(request: Request, options: ChangeOptions, key: string | undefined): Promise<Response> {
    const limit = AbortSignal.timeout(options.timeout ?? this.#options.timeout ?? 60_000);
    return this.#fetch(request, options, key, options.signal ? AbortSignal.any([limit, options.signal]) : limit);
  }

  #fetch(request: Request, options: ChangeOptions, key: string | undefined, signal: AbortSignal): Promise<Response> {
    const send = this.#options.fetch ?? fetch;
    return send(this.baseUrl + request.path + writeQuery(request.query), {
      method: request.method,
      headers: this.#headers(request, options, key),
      body: request.body === undefined ? (request.content ?? null) : JSON.stringify(request.body),
      signal,
    });
  }

  #headers(request: Request, options: ChangeOptions, key: string | undefined): Record<string, string> {
    const headers: Record<string, string> = { accept: "application/json" };
    if (this.#options.apiKey) headers["authorization"] = `Bearer ${this.#options.apiKey}`;
    // A browser says itself who it is.
    if (!("document" in globalThis)) headers["user-agent"] = `socialgate-typescript/${VERSION}`;
    if (request.body !== undefined) headers["content-type"] = "application/json";
    if (key !== undefined) headers["idempotency-key"] = key;
    if (options.ifMatch !== undefined) headers["if-match"] = options.ifMatch;
    return { ...headers, ...this.#options.headers, ...request.headers, ...options.headers };
  }

  #log(line: string): void {
    this.#options.log?.(line);
  }
}

/** Read the JSON of a response; nothing if there is none. */
export async function readJson<T>(response: Response): Promise<T> {
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Read what the server says it is: JSON, or a text such as a table. */
export async function readJsonOrText<T>(response: Response): Promise<T> {
  const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
  return isJson || response.status === 204 ? readJson(response) : ((await response.text()) as T);
}

/** Read the bytes of a response. */
export function readBytes(response: Response): Promise<ArrayBuffer> {
  return response.arrayBuffer();
}

/** Wait, unless the caller gives up first. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Read how many seconds the server asks to wait. */
export function readRetryAfter(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function isRepeatable(request: Request, options: ChangeOptions, key: string | undefined): boolean {
  if (request.mayRepeat !== undefined) return request.mayRepeat;
  return key !== undefined || (request.method !== "POST" && options.ifMatch === undefined);
}

/** Return how many milliseconds to wait after a response; undefined if it is the result. */
async function delayAfter(
  response: Response,
  request: Request,
  key: string | undefined,
  attempt: number,
): Promise<number | undefined> {
  const { status } = response;
  const ofProxy = (status === 502 || status === 504) && !isProblem(response) && isRepeatable(request, {}, key);
  // An earlier attempt, whose connection broke, is still being processed.
  const isConflict = status === 409 && key !== undefined;
  const inUse = isConflict && (await response.clone().text()).includes("idempotency_key_in_use");
  if (status !== 429 && status !== 503 && !ofProxy && !inUse) return undefined;
  const requested = readRetryAfter(response);
  if (requested === undefined) return backoff(attempt);
  // The server counts in whole seconds: a moment more, so that not everybody is back at the same time.
  return requested > MAX_WAIT_SECONDS ? undefined : 1000 * requested + 100 * Math.random();
}

function backoff(attempt: number): number {
  const longest = Math.min(FIRST_DELAY * 2 ** attempt, MAX_DELAY_MS);
  return (longest / 2) * (1 + Math.random());
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return error instanceof Error ? `${error.message}${cause}` : String(error);
}

function writeQuery(query: object = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (item !== undefined && item !== null) pairs.append(name, item instanceof Date ? item.toISOString() : String(item));
    }
  }
  const text = pairs.toString();
  return text && `?${text}`;
}
