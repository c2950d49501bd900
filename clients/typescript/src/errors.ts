/** Everything that can go wrong, as one tree below `SocialgateError`. */

import type { Fault, PlatformError as PlatformReport, Problem, Task } from "./types.js";

/** Any error of this client. */
export class SocialgateError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * The service could not be reached, or the connection broke, also after all retries. `idempotencyKey` is the key of the
 * request: send it again with this key, and nothing happens twice.
 */
export class ConnectionError extends SocialgateError {
  constructor(message: string, readonly idempotencyKey?: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** There was no response in time. */
export class TimeoutError extends ConnectionError {}

/** A request to your hook does not come from Socialgate, was changed on its way, or is too old. */
export class WebhookVerificationError extends SocialgateError {}

/** A task ended without success. */
export class TaskFailed extends SocialgateError {
  constructor(message: string, readonly task: Task) {
    super(message);
  }
}

/** An upload stopped before its end. Continue it with `media.upload(file, { resume: error.uploadId })`. */
export class UploadInterrupted extends ConnectionError {
  constructor(message: string, readonly uploadId: string, options?: ErrorOptions) {
    super(message, undefined, options);
  }
}

/** The service refused a request. `code` is for programs; `detail` says what is wrong and how to fix it. */
export class ApiError extends SocialgateError {
  readonly status: number;
  readonly code: Problem["code"];
  readonly detail: string;
  readonly requestId: string;
  /** The page that explains the code, and how to fix the error. */
  readonly helpUrl: string;
  /** How many seconds to wait before it is tried again. */
  readonly retryAfter: number | undefined;

  constructor(readonly problem: Problem, readonly headers: Headers, readonly idempotencyKey?: string) {
    const request = problem.requestId ? `, request ${problem.requestId}` : "";
    super(`${problem.detail} (${problem.status} ${problem.code}${request})`);
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.helpUrl = problem.type;
    this.retryAfter = problem.retryAfter ?? undefined;
  }
}

/** The API key is missing, wrong or revoked (401). */
export class AuthenticationError extends ApiError {}

/** The key may not do this: it is read-only, or limited to other profiles (403). */
export class PermissionDenied extends ApiError {}

/** There is nothing with this id, or the key does not cover it (404, 410). */
export class NotFound extends ApiError {}

/** The plan allows no more of it (402). */
export class PaymentRequired extends ApiError {}

/** It is in a state that does not allow this, or it has changed since it was read (409, 412). */
export class Conflict extends ApiError {}

/** The request is not valid (400, 413, 415, 422). `errors` lists everything that is wrong with it. */
export class ValidationError extends ApiError {
  get errors(): Fault[] {
    return this.problem.errors ?? [];
  }
}

/** Too many requests (429). `retryAfter` says how many seconds to wait. */
export class RateLimited extends ApiError {}

/** A platform refused it, or did not respond. `category` says who can fix it. */
export class PlatformError extends ApiError {
  get platform(): string {
    return this.problem.platform ?? "";
  }

  get category(): string {
    return this.problem.category ?? "";
  }

  /** The error that the platform reported, without secrets. */
  get platformError(): PlatformReport | undefined {
    return this.problem.platformError ?? undefined;
  }
}

/** Something went wrong in the service (5xx). */
export class ServerError extends ApiError {}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: ValidationError,
  401: AuthenticationError,
  402: PaymentRequired,
  403: PermissionDenied,
  404: NotFound,
  409: Conflict,
  410: NotFound,
  412: Conflict,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimited,
};

/** Tell an error of the service from one of a proxy before it. */
export function isProblem(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/problem+json") ?? false;
}

/** Make an error of a response. */
export async function readError(response: Response, idempotencyKey?: string): Promise<ApiError> {
  const empty = {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    detail: `The server responded with ${response.status} ${response.statusText}.`,
    instance: "",
    code: "unknown",
    requestId: response.headers.get("x-request-id") ?? "",
  };
  const read: unknown = isProblem(response) ? await response.json().catch(() => ({})) : {};
  const problem = { ...empty, ...(read as Partial<Problem>) } as Problem;
  const usual = response.status >= 500 ? ServerError : ApiError;
  const kind = problem.platform ? PlatformError : (BY_STATUS[response.status] ?? usual);
  return new kind(problem, response.headers, idempotencyKey);
}
