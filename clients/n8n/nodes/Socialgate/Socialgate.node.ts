import type {
  IDataObject,
  IExecuteFunctions,
  ILoadOptionsFunctions,
  INodeExecutionData,
  INodePropertyOptions,
  INodeType,
  INodeTypeDescription,
  JsonObject,
} from "n8n-workflow";
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from "n8n-workflow";

import { REQUESTS } from "./requests";
import { properties } from "./resources";
import type { RequestShape } from "./shapes";
import { type Request, call } from "./transport";
import { buildRequest } from "./values";

interface Page {
  data: IDataObject[];
  nextCursor: string | null;
}

/** Does everything in a workflow that the API can do. */
export class Socialgate implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Socialgate",
    name: "socialgate",
    icon: { light: "file:../../icons/socialgate.svg", dark: "file:../../icons/socialgate.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: "Publish posts, answer messages and comments, and read leads and numbers of social accounts",
    defaults: { name: "Socialgate" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "socialgateApi", required: true }],
    properties,
  };

  methods = {
    loadOptions: {
      async getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        return loadOptions(this, "/accounts", ({ id, name, kind }) => ({
          name: `${String(name)} (${String(kind)})`,
          value: String(id),
        }));
      },
      async getAdAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        return loadOptions(this, "/adaccounts", ({ id, name, kind }) => ({
          name: `${String(name)} (${String(kind)})`,
          value: String(id),
        }));
      },
      async getProfiles(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        return loadOptions(this, "/profiles", ({ id, name }) => ({ name: String(name), value: String(id) }));
      },
    },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = [];
    const count = this.getInputData().length;
    for (let itemIndex = 0; itemIndex < count; itemIndex++) {
      try {
        const rows = await run(this, itemIndex);
        results.push(...rows.map((json) => ({ json, pairedItem: { item: itemIndex } })));
      } catch (error) {
        if (this.continueOnFail()) {
          const { message, description } = error as NodeApiError;
          results.push({ json: { error: message, description }, pairedItem: { item: itemIndex } });
          continue;
        }
        // Both classes return an error of their own kind as it is.
        if (error instanceof NodeOperationError) throw new NodeOperationError(this.getNode(), error, { itemIndex });
        throw new NodeApiError(this.getNode(), error as JsonObject, { itemIndex });
      }
    }
    return [results];
  }
}

/** Do what the form says for one item. */
async function run(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const resource = context.getNodeParameter("resource", itemIndex) as string;
  const operation = context.getNodeParameter("operation", itemIndex) as string;
  const shape = REQUESTS[`${resource}.${operation}`];
  if (shape === undefined) {
    const message = `${resource} has no operation ${operation}. Choose another one.`;
    throw new NodeOperationError(context.getNode(), message, { itemIndex });
  }
  const request = buildRequest(context, shape, itemIndex);
  if (shape.cursor !== undefined) return readPages(context, shape, request, itemIndex);
  if (shape.file) await addFile(context, request, itemIndex);
  return [await call<IDataObject>(context, request, itemIndex)];
}

/** Read a list page by page, until it ends or there are as many rows as the form asks for. */
async function readPages(
  context: IExecuteFunctions,
  shape: RequestShape,
  request: Request,
  itemIndex: number,
): Promise<IDataObject[]> {
  const all = context.getNodeParameter("returnAll", itemIndex, false) as boolean;
  const limit = all ? Infinity : (context.getNodeParameter("limit", itemIndex, 50) as number);
  const rows: IDataObject[] = [];
  let query = { ...request.query };
  while (rows.length < limit) {
    if (shape.pageSize !== undefined) query.limit = Math.min(shape.pageSize, limit - rows.length);
    const page: Page = await call<Page>(context, { ...request, query }, itemIndex);
    rows.push(...page.data);
    // The feed of events always has a next cursor: an empty page is its end.
    if (page.nextCursor === null || page.data.length === 0) break;
    query = { ...query, [shape.cursor as string]: page.nextCursor };
  }
  return rows.slice(0, limit);
}

/** Send the file of an item. One that n8n keeps on disk is read while it is sent. */
async function addFile(context: IExecuteFunctions, request: Request, itemIndex: number): Promise<void> {
  const field = context.getNodeParameter("binaryPropertyName", itemIndex) as string;
  const binary = context.helpers.assertBinaryData(itemIndex, field);
  request.query = { fileName: binary.fileName ?? "file", ...request.query };
  request.headers = { ...request.headers, "Content-Type": "application/octet-stream" };
  if (binary.id === undefined) {
    request.body = await context.helpers.getBinaryDataBuffer(itemIndex, field);
    return;
  }
  const { fileSize } = await context.helpers.getBinaryMetadata(binary.id);
  request.body = await context.helpers.getBinaryStream(binary.id);
  request.headers["Content-Length"] = fileSize;
}

async function loadOptions(
  context: ILoadOptionsFunctions,
  path: string,
  convert: (row: IDataObject) => INodePropertyOptions,
): Promise<INodePropertyOptions[]> {
  const options: INodePropertyOptions[] = [];
  let cursor: string | null | undefined;
  do {
    const query: IDataObject = { limit: 100, ...(cursor ? { cursor } : {}) };
    const page: Page = await call<Page>(context, { method: "GET", path, query });
    options.push(...page.data.map(convert));
    cursor = page.nextCursor;
  } while (cursor);
  return options;
}
