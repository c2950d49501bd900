import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
  JsonObject,
} from "n8n-workflow";
import { NodeApiError, NodeConnectionTypes } from "n8n-workflow";

import { EVENTS } from "./events";
import { findForgery } from "./signatures";
import { call } from "./transport";

// How many events a workflow remembers, so that one that is delivered again does not run it again.
const MAX_REMEMBERED = 500;

/** What a workflow remembers between its executions. */
interface Memory {
  hookId?: string;
  secret?: string;
  seen?: string[];
}

interface Hook {
  id: string;
  url: string;
  events: string[];
  active: boolean;
  secret?: string;
}

/** Starts a workflow when something happens: a hook of the service calls it. */
export class SocialgateTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Socialgate Trigger",
    name: "socialgateTrigger",
    icon: { light: "file:../../icons/socialgate.svg", dark: "file:../../icons/socialgate.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: "Starts the workflow when a message, a comment or a lead arrives, or a post was published",
    defaults: { name: "Socialgate Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "socialgateApi", required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" }],
    properties: [
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        options: EVENTS,
        default: [],
        required: true,
        description: "The events that start the workflow",
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const memory = this.getWorkflowStaticData("node") as Memory;
        if (memory.hookId === undefined || memory.secret === undefined) return false;
        const hook = await findHook(this, memory.hookId);
        const wanted = [...(this.getNodeParameter("events", []) as string[])].sort();
        if (hook?.active && hook.url === this.getNodeWebhookUrl("default")) {
          if (String([...hook.events].sort()) === String(wanted)) return true;
        }
        // One that calls another address, or for other events, would never be deleted once a new one is remembered.
        await removeHook(this, memory);
        return false;
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const body = {
          url: this.getNodeWebhookUrl("default"),
          events: this.getNodeParameter("events", []),
          description: `n8n: ${this.getWorkflow().name ?? "workflow"}`.slice(0, 500),
        };
        const hook = await call<Hook>(this, { method: "POST", path: "/hooks", body });
        const memory = this.getWorkflowStaticData("node") as Memory;
        memory.hookId = hook.id;
        memory.secret = hook.secret;
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const memory = this.getWorkflowStaticData("node") as Memory;
        await removeHook(this, memory);
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const request = this.getRequestObject();
    const memory = this.getWorkflowStaticData("node") as Memory;
    const headers = this.getHeaderData() as Record<string, unknown>;
    const fault =
      memory.secret === undefined
        ? "The workflow has no hook. Deactivate and activate it."
        : findForgery(request.rawBody, headers, memory.secret);
    if (fault !== undefined) {
      this.getResponseObject().status(401).json({ message: fault });
      return { noWebhookResponse: true };
    }
    const id = String(headers["webhook-id"]);
    const seen = memory.seen ?? [];
    if (seen.includes(id)) return { webhookResponse: { duplicate: true } };
    memory.seen = [...seen, id].slice(-MAX_REMEMBERED);
    const event = JSON.parse(request.rawBody.toString("utf8")) as IDataObject;
    return { workflowData: [this.helpers.returnJsonArray({ id, ...event })] };
  }
}

async function findHook(context: IHookFunctions, id: string): Promise<Hook | undefined> {
  try {
    return await call<Hook>(context, { method: "GET", path: `/hooks/${encodeURIComponent(id)}` });
  } catch (error) {
    if (error instanceof NodeApiError && error.httpCode === "404") return undefined;
    throw new NodeApiError(context.getNode(), error as JsonObject);
  }
}

/** Delete the hook of a workflow, if there still is one, and forget it. */
async function removeHook(context: IHookFunctions, memory: Memory): Promise<void> {
  if (memory.hookId !== undefined && (await findHook(context, memory.hookId)) !== undefined) {
    await call(context, { method: "DELETE", path: `/hooks/${encodeURIComponent(memory.hookId)}` });
  }
  delete memory.hookId;
  delete memory.secret;
  delete memory.seen;
}
