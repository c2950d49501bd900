import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  JsonObject,
} from "n8n-workflow";
import { NodeApiError, sleep } from "n8n-workflow";

export const CREDENTIAL = "socialgateApi";
const MAX_ATTEMPTS = 4;
const MAX_WAIT_SECONDS = 30;

export type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

/** A request to the service, without its address and its key. */
export interface Request {
  method: IHttpRequestMethods;
  path: string;
  query?: IDataObject;
  body?: IHttpRequestOptions["body"];
  headers?: IDataObject;
}

/** An error as the service reports it. */
interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  requestId?: string;
  retryAfter?: number | null;
  errors?: Array<{ pointer: string; detail: string }>;
}

/** Send a request, and return what the service responds. What it refuses is thrown with the way to fix it. */
export async function call<T>(context: Context, request: Request, itemIndex = 0): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { statusCode, body, headers } = await send(context, request);
    if (statusCode < 400) return read(body) as T;
    const problem = (read(body) ?? {}) as Problem;
    const wait = problem.retryAfter ?? Number(headers["retry-after"] ?? 1);
    if (attempt < MAX_ATTEMPTS && mayRepeat(request, statusCode) && wait <= MAX_WAIT_SECONDS) {
      await sleep(wait * 1000);
      continue;
    }
    throw new NodeApiError(context.getNode(), problem as JsonObject, {
      ...explain(problem, statusCode),
      httpCode: String(statusCode),
      itemIndex,
    });
  }
}

async function send(context: Context, { method, path, query, body, headers }: Request): Promise<IN8nHttpFullResponse> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>(CREDENTIAL);
  const options: IHttpRequestOptions = {
    method,
    url: `${baseUrl.replace(/\/+$/, "")}${path}`,
    qs: query,
    arrayFormat: "repeat",
    body,
    headers: { Accept: "application/json", ...headers },
    json: headers?.["Content-Type"] === undefined,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
  };
  const response: unknown = await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, options);
  return response as IN8nHttpFullResponse;
}

/** A file that was read as a stream is gone after the first attempt. */
function mayRepeat({ body, headers, method }: Request, status: number): boolean {
  const isStream = typeof (body as { pipe?: unknown } | undefined)?.pipe === "function";
  const isSafe = method !== "POST" || headers?.["Idempotency-Key"] !== undefined;
  return !isStream && isSafe && (status === 429 || status === 503);
}

function read(body: unknown): unknown {
  if (typeof body !== "string") return body;
  return body === "" ? {} : JSON.parse(body);
}

/** Say what is wrong and how to fix it: for each field, if the service names fields. */
function explain(problem: Problem, status: number): { message: string; description: string } {
  const faults = (problem.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  const about = problem.code === undefined ? [] : [`Code ${problem.code}, request ${problem.requestId ?? "unknown"}.`];
  const message = problem.detail ?? problem.title ?? `The service responded with ${status}.`;
  return { message, description: [...faults, ...about].join("\n") };
}
