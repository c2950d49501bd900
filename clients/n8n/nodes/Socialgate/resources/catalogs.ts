// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const catalogsProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["catalogs"] } },
    options: [
      { name: "Create", value: "create", description: "Create a catalog", action: "Create catalog" },
      {
        name: "Get Many",
        value: "list",
        description: "Retrieve a list of catalogs",
        action: "Get many catalogs",
      },
    ],
    default: "create",
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: { show: { resource: ["catalogs"], operation: ["list"] } },
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { resource: ["catalogs"], operation: ["list"], returnAll: [false] } },
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["catalogs"], operation: ["list"] } },
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
  {
    displayName: "Name",
    name: "name",
    type: "string",
    default: "",
    description: "The name of the catalog",
    required: true,
    displayOptions: { show: { resource: ["catalogs"], operation: ["create"] } },
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["catalogs"], operation: ["create"] } },
    options: [
      {
        displayName: "Ad Account Name or ID",
        name: "adAccountId",
        type: "options",
        typeOptions: { loadOptionsMethod: "getAdAccounts" },
        default: "",
        description: "Choose from the list, or specify an ID using an <a href=\"https://docs.n8n.io/code/expressions/\">expression</a>",
      },
      {
        displayName: "Country",
        name: "country",
        type: "string",
        default: "",
        description: "ISO 3166 code, such as SE",
      },
      {
        displayName: "Currency",
        name: "currency",
        type: "string",
        default: "",
        description: "ISO 4217 code, such as USD",
      },
      {
        displayName: "Vertical",
        name: "vertical",
        type: "string",
        default: "",
        description: "What it contains; commerce by default",
      },
    ],
  },
];
