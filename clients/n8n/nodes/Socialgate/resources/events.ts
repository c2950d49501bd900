// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const eventsProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["events"] } },
    options: [
      {
        name: "Get Many",
        value: "list",
        description: "Retrieve a list of events",
        action: "Get many events",
      },
    ],
    default: "list",
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: { show: { resource: ["events"], operation: ["list"] } },
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { resource: ["events"], operation: ["list"], returnAll: [false] } },
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["events"], operation: ["list"] } },
    options: [
      {
        displayName: "Event",
        name: "event",
        type: "options",
        options: [
          { name: "Account Connected", value: "account.connected" },
          { name: "Account Disconnected", value: "account.disconnected" },
          { name: "Account Health", value: "account.health" },
          { name: "Account Needs Reconnection", value: "account.needs_reconnection" },
          { name: "Automation Triggered", value: "automation.triggered" },
          { name: "Comment Received", value: "comment.received" },
          { name: "Lead Received", value: "lead.received" },
          { name: "Message Received", value: "message.received" },
          { name: "Message Status", value: "message.status" },
          { name: "Post Failed", value: "post.failed" },
          { name: "Post File Failed", value: "post.file.failed" },
          { name: "Post Partial", value: "post.partial" },
          { name: "Post Platform Failed", value: "post.platform.failed" },
          { name: "Post Published", value: "post.published" },
          { name: "Post Scheduled", value: "post.scheduled" },
          { name: "Review Received", value: "review.received" },
          { name: "Webhook Test", value: "webhook.test" },
        ],
        default: "account.connected",
        description: "Only events with this name",
      },
    ],
  },
];
