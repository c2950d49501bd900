// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const usageProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["usage"] } },
    options: [
      {
        name: "Get",
        value: "get",
        description: "Show what was used in a month, by metric and by day, with the limits of the plan",
        action: "Get usage",
      },
    ],
    default: "get",
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["usage"], operation: ["get"] } },
    options: [
      {
        displayName: "Period",
        name: "period",
        type: "string",
        default: "",
        description: "A calendar month in UTC, such as 2026-11. Default: the current one.",
      },
    ],
  },
];
