import { isDeepStrictEqual } from 'node:util';
import { ApiError, invalid } from '@mp/contracts/errors';
import { webhookId } from '@mp/contracts/ids';
import { didYouMean } from '@mp/contracts/nearest';
import type { Grant } from '@mp/contracts/permissions';
import type { Plan } from '@mp/contracts/plan';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { Line } from '@mp/contracts/text';
import { webhookEventTypes } from '@mp/contracts/webhooks/catalogue';
import { eventRefusal, isInAll } from '@mp/contracts/webhooks/read-scopes';
import { newId } from '@mp/ids';
import { z } from 'zod';
import { Filter } from './filter.ts';

/** The webhooks of an account on each plan. */
export const maxWebhooks: Record<Plan, number> = { starter: 3, growth: 10, professional: 25, enterprise: 100 };

export const maxHeaders = 10;

const all = 'Types of events, groups such as `contact.*`, or `*`, which is all but those of the audit log.';

const groups = [...new Set(webhookEventTypes.map((type) => `${type.split('.')[0]}.*`))];
const patterns = new Set(['*', ...groups, ...webhookEventTypes]);

/** The type of an event. Unnamed in the document, because Go clients have one namespace for the values of all named lists. */
export const WebhookEventName = z.enum(webhookEventTypes);

/** A type of events, a group or all. */
export const EventPattern = z
  .string()
  .max(100)
  .refine((pattern) => patterns.has(pattern), {
    error: ({ input }) =>
      `Unknown event type.${didYouMean(String(input), [...patterns])} Use one of ${webhookEventTypes.join(', ')}, a group such as contact.*, or *.`,
    params: { code: 'unknown_event_type' },
  });

export const WebhookStatus = z.enum(['active', 'disabled']);
export const DisabledReason = z.enum(['manual', 'gone', 'failing']);

const maxBatch = 100;

/** Several events in one request. */
export const Batch = z
  .strictObject({
    max: z.number().int().min(1).max(maxBatch).default(maxBatch).describe('The maximum number of events in a request.'),
    wait_ms: z
      .number()
      .int()
      .min(0)
      .max(60_000)
      .default(1_000)
      .describe('How long an event waits for others, in milliseconds. A full batch is sent at once.'),
  })
  .meta({ id: 'WebhookBatching' });
export type Batch = z.output<typeof Batch>;

const batchText =
  'Sends up to `max` events in one request, with the body `{"id": "batch_…", "type": "batch", "timestamp", "account_id", "events": […]}` and the ID of ' +
  'the batch as `webhook-id`. Each event is in one batch, which keeps its events and its ID in every attempt. null: a request for each event.';

/** A webhook as the API shows it. */
export const Webhook = z
  .object({
    id: webhookId.describe('Opaque: `webhook_` and a time-ordered suffix.'),
    url: z.string().describe('Where events are sent.'),
    events: z.array(z.string()).describe(all),
    filter: Filter.nullable().describe('Only events whose payload matches are sent; null: all.'),
    description: z.string().nullable(),
    status: WebhookStatus.describe('`disabled`: nothing is sent.'),
    disabled_reason: DisabledReason.nullable().describe(
      '`manual`: by an update. `gone`: the receiver responded with 410. `failing`: every attempt failed for five days. ' +
        'After the last two, events are still recorded as failed deliveries, so that they can be replayed.',
    ),
    batch: Batch.nullable().describe(batchText),
    header_names: z.array(z.string()).describe('Names of the additional headers; their values are not shown.'),
    failing_since: z.iso.datetime().nullable().describe('Since when every attempt has failed; null after a success.'),
    previous_secret_expires_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'When the previous secret stops being used; until then, deliveries are signed with both. Null when only the current one is in use.',
      ),
    revision: z.number().int().describe('Increases by one with every change.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof Webhook>;

export const WebhookHealth = z
  .object({
    attempts: z.number().int().describe('Number of attempts considered: up to the last 100.'),
    success_rate: z.number().nullable().describe('Share of them that succeeded, from 0 to 1; null without attempts.'),
    p95_ms: z.number().int().nullable().describe('Duration that 95 % of them did not exceed, in milliseconds.'),
    last_success_at: z.iso.datetime().nullable(),
    last_failure_at: z.iso.datetime().nullable(),
    pending: z.number().int().describe('Deliveries waiting for an attempt, counted up to 10,000.'),
  })
  .meta({ id: 'WebhookHealth' });
export type WebhookHealth = z.output<typeof WebhookHealth>;

export const WebhookDetails = Webhook.extend({ health: WebhookHealth }).meta({ id: 'WebhookDetails' });

export const CreatedWebhook = WebhookDetails.extend({
  secret: z.string().describe('The secret that verifies signatures: `whsec_` followed by Base64. It is shown only once.'),
}).meta({ id: 'CreatedWebhook' });

/** What a webhook did not receive. */
export const MissedDeliveries = z
  .object({
    deliveries: z.number().int().describe('Number of failed deliveries, counted up to 10,000.'),
    from: renamedFrom('since', z.iso.datetime().describe('When the first of them was created: `from` of POST /v2/webhooks/{id}/replay.')),
  })
  .meta({ id: 'MissedWebhookDeliveries' });
export type MissedDeliveries = z.output<typeof MissedDeliveries>;

export const UpdatedWebhook = WebhookDetails.extend({
  missed: MissedDeliveries.nullable().describe(
    'Only when the request enables a disabled webhook: the failed deliveries that can be replayed, including all events since the platform disabled it; null if there are none.',
  ),
}).meta({ id: 'UpdatedWebhook' });

const reserved =
  /^(host|connection|content-length|content-type|content-encoding|transfer-encoding|upgrade|expect|te|trailer|user-agent|keep-alive|webhook-.*|proxy-.*)$/i;

const headers = z
  .record(z.string().max(64), z.string().regex(/^[\x20-\x7e]{0,1000}$/, 'expected at most 1,000 visible ASCII characters'))
  .superRefine((given, context) => {
    for (const name of Object.keys(given)) {
      const isName = /^[A-Za-z0-9-]{1,64}$/.test(name);
      if (isName && !reserved.test(name)) continue;
      const message = isName ? 'the platform sets this header' : 'expected a header name of letters, digits and -';
      context.addIssue({ code: 'custom', path: [name], message, input: given, params: { code: 'invalid_header' } });
    }
  })
  .refine((given) => Object.keys(given).length <= maxHeaders, `expected at most ${maxHeaders} headers`)
  .refine(
    (given) => new Set(Object.keys(given).map((name) => name.toLowerCase())).size === Object.keys(given).length,
    'a header name occurs twice',
  )
  .meta({ maxProperties: maxHeaders })
  .describe('Additional headers of each request, such as `Authorization`. Values are stored encrypted and never shown.');

const writable = {
  url: z.string().max(2_000).describe('A public https:// URL on port 443, or 1024 or higher.'),
  events: z
    .array(EventPattern)
    .min(1)
    .max(50)
    .transform((events) => [...new Set(events)])
    .pipe(z.array(z.string()))
    .describe(`${all} GET /v2/webhooks/event-types lists them.`),
  filter: Filter.nullable().describe('Only events whose payload matches are sent; null: all.'),
  description: Line(500).nullable(),
  status: WebhookStatus,
  batch: Batch.nullable().describe(batchText),
  headers,
};

export const CreateWebhookBody = z.strictObject({
  ...writable,
  filter: writable.filter.default(null),
  description: writable.description.default(null),
  status: writable.status.default('active'),
  batch: writable.batch.default(null),
  headers: writable.headers.default({}),
});

const readOnly = Webhook.pick({
  id: true,
  disabled_reason: true,
  header_names: true,
  failing_since: true,
  previous_secret_expires_at: true,
  revision: true,
  created_at: true,
  updated_at: true,
}).shape;

/** A response can be edited and sent back: read-only fields are accepted if they are unchanged. */
export const UpdateWebhookBody = z.strictObject({ ...writable, ...readOnly, health: z.unknown(), missed: z.unknown() }).partial();

export const newWebhook = ({ headers, ...body }: z.output<typeof CreateWebhookBody>, now: Date): Webhook => ({
  id: newId('webhook'),
  ...body,
  disabled_reason: body.status === 'disabled' ? 'manual' : null,
  header_names: Object.keys(headers),
  failing_since: null,
  previous_secret_expires_at: null,
  revision: 1,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
});

/** These change on their own between a GET and a PUT. */
const moving = new Set(['failing_since', 'previous_secret_expires_at']);

/** Returns the changed webhook, or the same object when nothing differs. Throws VALIDATION_ERROR. */
export function changeWebhook(before: Webhook, body: z.output<typeof UpdateWebhookBody>, now: Date): Webhook {
  const shown = new Map<string, unknown>(Object.entries(before));
  for (const [name, value] of Object.entries(body)) {
    if (!(name in readOnly) || moving.has(name) || isDeepStrictEqual(value, shown.get(name))) continue;
    const hint = name === 'header_names' ? 'to change the headers, send `headers`' : 'omit it or send it unchanged';
    throw invalid(`/${name}`, 'read_only', `${name} cannot be set; ${hint} (${JSON.stringify(shown.get(name))}).`);
  }
  const { url, events, filter, description, status = before.status, batch, headers } = body;
  const wasActive = before.status === 'active';
  const after: Webhook = {
    ...before,
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(filter !== undefined && { filter }),
    ...(description !== undefined && { description }),
    ...(batch !== undefined && { batch }),
    ...(headers !== undefined && { header_names: Object.keys(headers) }),
    status,
    disabled_reason: status === 'active' ? null : wasActive ? 'manual' : before.disabled_reason,
    // It gets another five days.
    failing_since: status === 'active' && !wasActive ? null : before.failing_since,
  };
  if (headers === undefined && isDeepStrictEqual(before, after)) return before;
  return { ...after, revision: before.revision + 1, updated_at: now.toISOString() };
}

/** Throws FORBIDDEN for a caller who may not read the audit log, if the webhook gets it: it may go to another URL from now on. */
export function requireAuditReader(principal: Grant, { events }: Pick<Webhook, 'events'>) {
  for (const pattern of events.filter((one) => one !== '*' && !isInAll(one))) {
    const refused = eventRefusal(principal, pattern);
    if (refused !== undefined) throw new ApiError('FORBIDDEN', `${pattern}: ${refused}`);
  }
}

/** Whether the webhook subscribes to this type of event. */
export const subscribes = ({ events }: Pick<Webhook, 'events'>, type: string) =>
  events.some(
    (pattern) =>
      (pattern === '*' && isInAll(type)) || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
