// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const mediaLinksProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["media.links"] } },
    options: [
      {
        name: "Create",
        value: "create",
        description: "Create a signed address to which one file can be sent without a credential, within 15 minutes",
        action: "Create media link",
      },
    ],
    default: "create",
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["media.links"], operation: ["create"] } },
    options: [
      {
        displayName: "File Name",
        name: "fileName",
        type: "string",
        default: "",
        description: "The name that the file gets",
      },
      {
        displayName: "Profile Name or ID",
        name: "profileId",
        type: "options",
        typeOptions: { loadOptionsMethod: "getProfiles" },
        default: "",
        description: "Choose from the list, or specify an ID using an <a href=\"https://docs.n8n.io/code/expressions/\">expression</a>",
      },
    ],
  },
];
