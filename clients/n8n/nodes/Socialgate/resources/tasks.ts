// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const tasksProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["tasks"] } },
    options: [
      {
        name: "Cancel",
        value: "cancel",
        description: "Cancel a task. A running task ends after its current step; what it has done so far is not undone.",
        action: "Cancel task",
      },
      {
        name: "Get",
        value: "get",
        description: "Return a task: its status, its progress, and its result when it has finished",
        action: "Get task",
      },
      {
        name: "Get Many",
        value: "list",
        description: "Retrieve a list of tasks",
        action: "Get many tasks",
      },
    ],
    default: "cancel",
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: { show: { resource: ["tasks"], operation: ["list"] } },
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { resource: ["tasks"], operation: ["list"], returnAll: [false] } },
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["tasks"], operation: ["list"] } },
    options: [
      {
        displayName: "Status",
        name: "status",
        type: "options",
        options: [
          { name: "Cancelled", value: "cancelled" },
          { name: "Failed", value: "failed" },
          { name: "Queued", value: "queued" },
          { name: "Running", value: "running" },
          { name: "Succeeded", value: "succeeded" },
        ],
        default: "cancelled",
        description: "Only tasks with this status",
      },
      {
        displayName: "Type",
        name: "type",
        type: "string",
        default: "",
        description: "Only tasks of this type",
      },
    ],
  },
  {
    displayName: "Task ID",
    name: "taskId",
    type: "string",
    default: "",
    description: "The ID of a task, task_…, or of a generation, gen_…, from the response that started it",
    required: true,
    displayOptions: { show: { resource: ["tasks"], operation: ["get"] } },
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["tasks"], operation: ["get"] } },
    options: [
      {
        displayName: "Wait",
        name: "wait",
        type: "number",
        default: 0,
        description: "Respond when the task has finished, or after this many seconds",
      },
    ],
  },
  {
    displayName: "Task ID",
    name: "taskId",
    type: "string",
    default: "",
    description: "The ID of a task, task_…, or of a generation, gen_…, from the response that started it",
    required: true,
    displayOptions: { show: { resource: ["tasks"], operation: ["cancel"] } },
  },
];
