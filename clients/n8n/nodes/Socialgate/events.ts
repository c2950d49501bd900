// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodePropertyOptions } from "n8n-workflow";

/** The events that a trigger can wait for. */
export const EVENTS: INodePropertyOptions[] = [
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
];
