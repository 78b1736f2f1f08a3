import type { Webhooks as WebhookRequests } from './generated/types.gen.ts';

type Body = NonNullable<WebhookRequests['body']>;

/** The event of a webhook. */
export type WebhookEvent = Exclude<Body, { type: 'batch' }>;

/** The events of one request, for a webhook with `batch`. */
export type WebhookBatch = Omit<Extract<Body, { type: 'batch' }>, 'events'> & { events: WebhookEvent[] };

type GroupOf<Type extends string> = Type extends `${infer Group}.${string}` ? `${Group}.*` : never;

/** What a webhook or a stream can subscribe to: a type of event, a group such as `contact.*`, or everything. */
export type WebhookEventSelector = WebhookEvent['type'] | GroupOf<WebhookEvent['type']> | '*';

/** The body of a request whose `events` are those that exist. */
export type WithEvents<Body> = { [Name in keyof Body]: Name extends 'events' ? WebhookEventSelector[] : Body[Name] };
