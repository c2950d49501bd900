// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const automationsRunsProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["automations.runs"] } },
    options: [
      {
        name: "Get",
        value: "get",
        description: "Return one run with its steps",
        action: "Get automation run",
      },
      {
        name: "Get Many",
        value: "list",
        description: "Retrieve a list of automation runs",
        action: "Get many automation runs",
      },
    ],
    default: "get",
  },
  {
    displayName: "Automation ID",
    name: "automationId",
    type: "string",
    default: "",
    description: "The ID of an automation, auto_…",
    required: true,
    displayOptions: { show: { resource: ["automations.runs"], operation: ["list"] } },
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: { show: { resource: ["automations.runs"], operation: ["list"] } },
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { resource: ["automations.runs"], operation: ["list"], returnAll: [false] } },
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["automations.runs"], operation: ["list"] } },
    options: [
      {
        displayName: "Status",
        name: "status",
        type: "options",
        options: [
          { name: "Done", value: "done" },
          { name: "Failed", value: "failed" },
          { name: "Running", value: "running" },
          { name: "Skipped", value: "skipped" },
          { name: "Triggered", value: "triggered" },
        ],
        default: "done",
        description: "Only runs with this status",
      },
    ],
  },
  {
    displayName: "Automation ID",
    name: "automationId",
    type: "string",
    default: "",
    description: "The ID of an automation, auto_…",
    required: true,
    displayOptions: { show: { resource: ["automations.runs"], operation: ["get"] } },
  },
  {
    displayName: "Run ID",
    name: "runId",
    type: "string",
    default: "",
    description: "The ID of a run of the automation, run_…",
    required: true,
    displayOptions: { show: { resource: ["automations.runs"], operation: ["get"] } },
  },
];
