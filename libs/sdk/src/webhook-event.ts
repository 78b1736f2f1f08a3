import type { Webhooks as WebhookRequests } from './generated/types.gen.ts';

type Body = NonNullable<WebhookRequests['body']>;

/** The event of a webhook. */
export type WebhookEvent = Exclude<Body, { type: 'batch' }>;

/** The events of one request, for a webhook with `batch`. */
export type WebhookBatch = Omit<Extract<Body, { type: 'batch' }>, 'events'> & { events: WebhookEvent[] };
