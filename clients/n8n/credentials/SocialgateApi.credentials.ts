import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from "n8n-workflow";

/** The address of a service, and an API key for it. */
export class SocialgateApi implements ICredentialType {
  name = "socialgateApi";

  displayName = "Socialgate API";

  icon: Icon = { light: "file:../icons/socialgate.svg", dark: "file:../icons/socialgate.dark.svg" };

  documentationUrl = "https://docs.n8n.io/credentials/add-edit-credentials/";

  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "http://127.0.0.1:8080",
      required: true,
      description: "The address of your Socialgate service",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      description: "A key from API Keys in the console. Reading needs a read-only key, everything else a read-write key.",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.apiKey}}" } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: "={{$credentials.baseUrl}}", url: "/auth/me" },
  };
}
