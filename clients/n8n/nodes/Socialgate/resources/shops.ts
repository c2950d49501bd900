// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const shopsProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["shops"] } },
    options: [
      {
        name: "Get Many",
        value: "list",
        description: "Retrieve a list of shops",
        action: "Get many shops",
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
    displayOptions: { show: { resource: ["shops"], operation: ["list"] } },
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { resource: ["shops"], operation: ["list"], returnAll: [false] } },
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["shops"], operation: ["list"] } },
    options: [
      {
        displayName: "Ad Account Name or ID",
        name: "adAccountId",
        type: "options",
        typeOptions: { loadOptionsMethod: "getAdAccounts" },
        default: "",
        description: "Choose from the list, or specify an ID using an <a href=\"https://docs.n8n.io/code/expressions/\">expression</a>",
      },
    ],
  },
];
