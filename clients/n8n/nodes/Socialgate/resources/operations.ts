// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const operationsProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["operations"] } },
    options: [
      {
        name: "Get",
        value: "get",
        description: "Return one operation: what was requested from the platform, and the result",
        action: "Get operation",
      },
      {
        name: "Get Many",
        value: "list",
        description: "Retrieve a list of operations",
        action: "Get many operations",
      },
    ],
    default: "get",
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: { show: { resource: ["operations"], operation: ["list"] } },
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { resource: ["operations"], operation: ["list"], returnAll: [false] } },
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["operations"], operation: ["list"] } },
    options: [
      {
        displayName: "Account Name or ID",
        name: "accountId",
        type: "options",
        typeOptions: { loadOptionsMethod: "getAccounts" },
        default: "",
        description: "Choose from the list, or specify an ID using an <a href=\"https://docs.n8n.io/code/expressions/\">expression</a>",
      },
      {
        displayName: "Status",
        name: "status",
        type: "options",
        options: [
          { name: "Failed", value: "failed" },
          { name: "Running", value: "running" },
          { name: "Succeeded", value: "succeeded" },
          { name: "Unconfirmed", value: "unconfirmed" },
        ],
        default: "failed",
        description: "Only operations with this status",
      },
    ],
  },
  {
    displayName: "Operation ID",
    name: "operationId",
    type: "string",
    default: "",
    description: "The ID of an operation, op_…",
    required: true,
    displayOptions: { show: { resource: ["operations"], operation: ["get"] } },
  },
];
