/**
 * The client for Socialgate: one API for social, messaging and advertising accounts.
 *
 * ```ts
 * const client = new Socialgate();
 * const post = await client.posts.create({ profileId: "prf_…", content: "Fresh bread", targets: ["acc_…"] });
 * ```
 */

import { type Call, type ChangeOptions, type ClientOptions, Http, readJsonOrText } from "./core.js";
import { SocialgateError } from "./errors.js";
import { Resources } from "./resources.js";
import { Webhooks } from "./webhooks.js";

/**
 * The client. Without options, the environment variables `SOCIALGATE_URL` and `SOCIALGATE_API_KEY` say which service it
 * calls, and with which key.
 */
export class Socialgate extends Resources {
  readonly webhooks = new Webhooks();
  readonly #options: ClientOptions;
  readonly #http: Http;

  constructor(options: ClientOptions = {}) {
    const http = new Http(options);
    super(http);
    this.#http = http;
    this.#options = options;
  }

  /**
   * Call a route by its method and path, such as one that this version of the client does not know yet. A POST has an
   * `Idempotency-Key`, as in the methods of resources. What is not JSON, such as a table, is returned as a string.
   */
  request<T = unknown>(
    method: string,
    path: string,
    { query, body }: { query?: object; body?: object } = {},
    options?: ChangeOptions,
  ): Call<T> {
    if (!path.startsWith("/")) throw new SocialgateError(`${path} is not a path of the API. It starts with a slash.`);
    const verb = method.toUpperCase();
    return this.#http.call<T>({ method: verb, path, query, body, once: verb === "POST" }, options, readJsonOrText);
  }

  /** Return a client with other options. */
  withOptions(options: ClientOptions): Socialgate {
    return new Socialgate({ ...this.#options, ...options, headers: { ...this.#options.headers, ...options.headers } });
  }
}

export default Socialgate;
export { Call, Pages } from "./core.js";
export type { AnyPage, CallOptions, ChangeOptions, ClientOptions, WithResponse, WriteOptions } from "./core.js";
export * from "./errors.js";
export * from "./resources.js";
export type { WaitOptions } from "./tasks.js";
export type * as types from "./types.js";
export type { UploadOptions } from "./uploads.js";
export { VERSION } from "./version.js";
export { Webhooks } from "./webhooks.js";
export type { AnyHeaders } from "./webhooks.js";
