/** How a value of a form is converted: a list with commas, JSON, rows of a collection, or a time. */
export type Conversion = "list" | "json" | "rows" | "time";

/** Where a value belongs in a request. */
export interface FieldShape {
  in: "path" | "query" | "body" | "whole";
  as?: Conversion;
  /** Conversions inside of rows. */
  rows?: Record<string, Conversion>;
  /** Whether it is a parameter of its own, and not one of the additional fields. */
  top?: boolean;
}

/** The request that an operation sends. */
export interface RequestShape {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  fields: Record<string, FieldShape>;
  /** The parameter that continues a list. */
  cursor?: string;
  /** How many rows a page can have. */
  pageSize?: number;
  /** Whether it has an `Idempotency-Key`, with which it can be repeated without being done twice. */
  once?: boolean;
  /** Whether its body is a file. */
  file?: boolean;
}
