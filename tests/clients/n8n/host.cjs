// Runs the built nodes as n8n does: `node host.cjs <folder>`. Each line of its input is a call as JSON, and each line of
// its output the result. Parameters get their defaults from n8n's own helpers, and requests are real.

const { createReadStream, readFileSync, statSync } = require("node:fs");
const { basename, join } = require("node:path");
const { createInterface } = require("node:readline");
const { Readable } = require("node:stream");

const folder = process.argv[2];
const { NodeHelpers } = require(join(folder, "node_modules", "n8n-workflow"));
const { n8n } = require(join(folder, "package.json"));
const classes = Object.assign({}, ...[...n8n.nodes, ...n8n.credentials].map((path) => require(join(folder, path))));
const credential = new classes.SocialgateApi();

/** Replace what n8n replaces in credentials: `={{$credentials.apiKey}}`. */
function fill(text, values) {
  return text.replace(/^=/, "").replace(/\{\{\$credentials\.(\w+)\}\}/g, (_, name) => values[name]);
}

/** Send a request with the options that n8n gives to its helper, and with the credential. */
async function send(options, values) {
  const url = new URL(options.url);
  for (const [name, value] of Object.entries(options.qs ?? {})) {
    for (const item of [value].flat()) if (item !== undefined) url.searchParams.append(name, item);
  }
  const headers = { ...options.headers };
  for (const [name, text] of Object.entries(credential.authenticate.properties.headers)) headers[name] = fill(text, values);
  let body = options.body;
  if (options.json && body !== undefined) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(body);
  }
  if (body instanceof Readable) body = Readable.toWeb(body);
  const response = await fetch(url, { method: options.method, headers, body, duplex: "half" });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/** What every function of a node finds in `this`. */
function contextOf({ type, parameters = {}, credentials, memory = {}, url, run = 0, execution = "1", goesOn = false }) {
  const node = { id: "node-1", name: type, type, typeVersion: 1, position: [0, 0], parameters };
  const { description } = new classes[type]();
  const values = NodeHelpers.getNodeParameters(description.properties, parameters, true, false, node, description);
  return {
    getNode: () => node,
    getCredentials: async () => credentials,
    getNodeParameter: (name, index, fallback) => values[name] ?? (typeof index === "number" ? fallback : index),
    getTimezone: () => "America/Lima",
    getExecutionId: () => execution,
    getInstanceId: () => "instance-1",
    getWorkflow: () => ({ id: "workflow-1", name: "Bakery", active: true }),
    getWorkflowDataProxy: () => ({ $runIndex: run }),
    getWorkflowStaticData: () => memory,
    getNodeWebhookUrl: () => url,
    continueOnFail: () => goesOn,
    helpers: {
      httpRequestWithAuthentication: (_, options) => send(options, credentials),
      returnJsonArray: (json) => [json].flat().map((item) => ({ json: item })),
    },
  };
}

const calls = {
  async testCredential({ credentials }) {
    const { request } = credential.test;
    return (await send({ url: fill(request.baseURL, credentials) + request.url }, credentials)).statusCode;
  },

  async load({ method, ...call }) {
    return new classes[call.type]().methods.loadOptions[method].call(contextOf(call));
  },

  async execute({ items = 1, file, inMemory = false, ...call }) {
    const context = contextOf(call);
    context.getInputData = () => Array.from({ length: items }, () => ({ json: {} }));
    Object.assign(context.helpers, {
      assertBinaryData: () => ({ fileName: basename(file), mimeType: "image/jpeg", ...(inMemory ? {} : { id: file }) }),
      getBinaryDataBuffer: async () => readFileSync(file),
      getBinaryMetadata: async (path) => ({ fileSize: statSync(path).size }),
      getBinaryStream: async (path) => createReadStream(path),
    });
    const [rows] = await new classes[call.type]().execute.call(context);
    return rows;
  },

  async hook({ method, ...call }) {
    const context = contextOf(call);
    const result = await new classes[call.type]().webhookMethods.default[method].call(context);
    return { result, memory: context.getWorkflowStaticData() };
  },

  async deliver({ headers, body, now, ...call }) {
    const real = Date.now;
    // The clock of the service under test can be another one.
    Date.now = () => now;
    const refused = {};
    const response = {
      status: (code) => Object.assign(response, { code }),
      json: (content) => Object.assign(refused, { status: response.code, ...content }),
    };
    const context = Object.assign(contextOf(call), {
      getRequestObject: () => ({ rawBody: Buffer.from(body, "base64") }),
      getHeaderData: () => headers,
      getResponseObject: () => response,
    });
    try {
      const result = await new classes[call.type]().webhook.call(context);
      return { ...result, refused, memory: context.getWorkflowStaticData() };
    } finally {
      Date.now = real;
    }
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { call, ...given } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ result: await calls[call](given) }));
  } catch (error) {
    const { name, message, description, httpCode, context } = error;
    console.log(JSON.stringify({ error: { name, message, description, httpCode, itemIndex: context?.itemIndex } }));
  }
});
