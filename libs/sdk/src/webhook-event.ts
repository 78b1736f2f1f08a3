import type { Webhooks as WebhookRequests } from './generated/types.gen.ts';

/** The event of a webhook. */
export type WebhookEvent = NonNullable<WebhookRequests['body']>;
