import { createHash, randomUUID } from "node:crypto";

import type { IDataObject, IExecuteFunctions } from "n8n-workflow";
import { NodeOperationError, tryToParseDateTime } from "n8n-workflow";

import type { Conversion, FieldShape, RequestShape } from "./shapes";
import type { Request } from "./transport";

/** Build the request of an operation from what the form says about an item. */
export function buildRequest(context: IExecuteFunctions, shape: RequestShape, itemIndex: number): Request {
  let path = shape.path;
  const query: IDataObject = {};
  let body: IDataObject = {};
  for (const [name, field] of Object.entries(shape.fields)) {
    const value = readField(context, name, field, itemIndex);
    if (value === undefined) continue;
    if (field.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (field.in === "query") query[name] = value as IDataObject[string];
    else if (field.in === "body") body[name] = value as IDataObject[string];
    else body = value as IDataObject;
  }
  const missing = /\{(\w+)\}/.exec(path)?.[1];
  if (missing !== undefined) {
    const message = `${missing} is empty. Enter an ID, or check the expression.`;
    throw new NodeOperationError(context.getNode(), message, { itemIndex });
  }
  const hasBody = Object.values(shape.fields).some((field) => field.in === "body" || field.in === "whole");
  const headers = shape.once ? { "Idempotency-Key": makeKey(context, itemIndex) } : {};
  return { method: shape.method, path, query, headers, ...(hasBody ? { body } : {}) };
}

function readField(context: IExecuteFunctions, name: string, field: FieldShape, itemIndex: number): unknown {
  if (!field.top) {
    const fields = context.getNodeParameter("fields", itemIndex, {}) as IDataObject;
    return name in fields ? convert(context, name, fields[name], field, itemIndex) : undefined;
  }
  const value = convert(context, name, context.getNodeParameter(name, itemIndex, undefined), field, itemIndex);
  return value === "" ? undefined : value;
}

/** Convert a value of a form. What was added to it and left empty is not sent, unless it is a text. */
function convert(
  context: IExecuteFunctions,
  name: string,
  value: unknown,
  { as, rows = {} }: Pick<FieldShape, "as" | "rows">,
  itemIndex: number,
): unknown {
  switch (as) {
    case "list":
      if (Array.isArray(value)) return value;
      return splitList(String(value ?? ""));
    case "json":
      return parseJson(context, name, value, itemIndex);
    case "time":
      if (value === "" || value === undefined) return undefined;
      return tryToParseDateTime(value, context.getTimezone()).toUTC().toISO();
    case "rows":
      return readRows(context, value, rows, itemIndex);
    default:
      return value;
  }
}

function splitList(text: string): string[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  const kept = parts.filter((part) => part !== "");
  return kept.length ? kept : undefined;
}

function parseJson(context: IExecuteFunctions, name: string, value: unknown, itemIndex: number): unknown {
  if (typeof value !== "string") return value;
  if (value.trim() === "") return undefined;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new NodeOperationError(context.getNode(), `${name} is not valid JSON: ${(error as Error).message}`, {
      itemIndex,
      description: "Check quotes and commas, or build the value with an expression.",
    });
  }
}

/** Read the rows of a collection, without fields that are empty. */
function readRows(
  context: IExecuteFunctions,
  value: unknown,
  conversions: Record<string, Conversion>,
  itemIndex: number,
): unknown {
  const rows = (value as { rows?: IDataObject[] } | undefined)?.rows;
  return rows?.map((row) => {
    const kept: IDataObject = {};
    for (const [name, given] of Object.entries(row)) {
      const converted = convert(context, name, given, { as: conversions[name] }, itemIndex);
      const isEmpty = converted === "" || converted === undefined || isEmptyObject(converted);
      if (!isEmpty) kept[name] = converted as IDataObject[string];
    }
    return kept;
  });
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/**
 * Make the key of a request. It is the same if n8n runs the node again within an execution ("Retry On Fail"), so that
 * nothing is done twice, and another one in the next execution or the next round of a loop.
 */
function makeKey(context: IExecuteFunctions, itemIndex: number): string {
  const execution = context.getExecutionId();
  if (!execution) return `n8n-${randomUUID()}`;
  const { $runIndex: run } = context.getWorkflowDataProxy(itemIndex);
  const place = [context.getInstanceId(), execution, context.getNode().id, run, itemIndex].join(" ");
  return `n8n-${createHash("sha256").update(place).digest("hex").slice(0, 40)}`;
}
