import { config } from "@n8n/node-cli/eslint";

export default [
  ...config,
  {
    files: ["package.json"],
    rules: {
      // The node has the license of the project that it belongs to. n8n asks for MIT.
      "n8n-nodes-base/community-package-json-license-not-default": "off",
      // Who publishes the package adds an address and a website of their own.
      "@n8n/community-nodes/require-homepage": "off",
      "@n8n/community-nodes/valid-author": "off",
    },
  },
];
