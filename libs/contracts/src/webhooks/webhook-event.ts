import { readFileSync } from 'node:fs';
import type { AccountId, ContactId } from '@mp/ids';
import { z } from 'zod';
import { EventEnvelope, type EventType } from '../event.ts';
import { accountId } from '../ids.ts';

/** The public content of one event. */
type Content<Data> = {
  data: Data;
  /** Paths of the changed fields. */
  changed?: readonly string[];
  /** By default, what the envelope says. */
  cause?: string;
  /** The contacts that the data is about. An erasure of one removes the stored payload. */
  contactIds: readonly ContactId[];
};

/** One type of event that webhooks receive, made from an event of the platform. */
export type WebhookEvent = {
  type: string;
  summary: string;
  source: EventType;
  data: z.ZodType;
  /** Undefined when this event of the platform is not one of this type. */
  content: (event: EventEnvelope) => Content<unknown> | undefined;
  /** The values that `cause` can have. */
  causes: readonly string[];
  /** What differs in the example from that of the source. */
  example: object;
};

/** What an envelope says about the cause of its event. */
const envelopeCauses = ['api', 'import', 'platform'] as const;

type Definition<Source extends z.ZodType, Data extends z.ZodType> = {
  type: string;
  summary: string;
  source: EventType<Source>;
  data: Data;
  content: (event: EventEnvelope<z.output<Source>>) => Content<z.input<Data>> | undefined;
  causes?: readonly string[];
  example?: Partial<z.input<Source>>;
};

export const defineWebhookEvent = <Source extends z.ZodType, Data extends z.ZodType>({
  source,
  content,
  causes = envelopeCauses,
  example = {},
  ...event
}: Definition<Source, Data>): WebhookEvent => ({
  ...event,
  source,
  causes,
  example,
  content: (envelope) => content({ ...envelope, data: source.data.parse(envelope.data) }),
});

/** What a webhook receives as the body of a request. */
export const payloadOf = (event: Pick<WebhookEvent, 'type' | 'data'>) =>
  z.object({
    id: z.string().describe('`event_` and an opaque suffix; also in the header `webhook-id`. The same in every attempt and replay.'),
    type: z.literal(event.type),
    timestamp: z.iso.datetime().describe('When it happened. Deliveries can arrive in any order.'),
    account_id: accountId,
    data: event.data,
    changed: z
      .array(z.string())
      .optional()
      .describe('In `contact.updated` and `contact.merged`: the paths of the changed fields, such as `address.city`.'),
    cause: z
      .string()
      .describe(
        '`api`: a request, including the dashboard. `import`: an import. `platform`: a reaction of the platform. Segments have their own causes.',
      ),
    test: z.literal(true).optional().describe('Sent by `POST /v2/webhooks/{id}/test`; the data is an example.'),
    truncated: z
      .literal(true)
      .optional()
      .describe('The payload would be larger than 64 KiB: `data` has only IDs; get the resource from the API.'),
  });

export type WebhookPayload = {
  id: string;
  type: string;
  timestamp: string;
  account_id: AccountId;
  data: unknown;
  changed?: string[];
  cause: string;
  test?: true;
  truncated?: true;
};

export const maxPayloadBytes = 64 * 1024;

/** The payload of an event and the contacts it is about; undefined when the event is not one of this type. */
export function webhookPayload(
  event: WebhookEvent,
  envelope: EventEnvelope,
): { payload: WebhookPayload; contactIds: readonly ContactId[] } | undefined {
  const content = event.content(envelope);
  if (!content) return undefined;
  const { data, changed, cause = causeOf(envelope), contactIds } = content;
  const payload: WebhookPayload = {
    id: envelope.id.replace(/^evt_/, 'event_'),
    type: event.type,
    timestamp: envelope.time,
    account_id: envelope.account_id,
    data,
    ...(changed && { changed: [...changed] }),
    cause,
  };
  const isSmall = Buffer.byteLength(JSON.stringify(payload)) <= maxPayloadBytes;
  return { payload: isSmall ? payload : { ...payload, data: idsOf(data), truncated: true }, contactIds };
}

/** The fields of an object that are IDs or its revision. */
const idsOf = (data: unknown) =>
  Object.fromEntries(
    Object.entries(typeof data === 'object' && data !== null ? data : {}).filter(([name]) => /^(id|.*_id|revision)$/.test(name)),
  );

/** A request or an import begins a chain of events; everything that another event caused is a reaction. */
const causeOf = ({ correlation_id, causation_id }: EventEnvelope): (typeof envelopeCauses)[number] =>
  causation_id === null && correlation_id.startsWith('req_') ? 'api' : correlation_id.startsWith('import_') ? 'import' : 'platform';

const folder = new URL('../events/examples/', import.meta.url);

/** An example of the source that is an event of this type. */
export function exampleEnvelope({ source, example }: WebhookEvent): EventEnvelope {
  const envelope = EventEnvelope.parse(JSON.parse(readFileSync(new URL(`${source.subject}.json`, folder), 'utf8')));
  return { ...envelope, data: Object.assign({}, envelope.data, example) };
}

/** An example payload, made from the example of the source. */
export function examplePayload(event: WebhookEvent): WebhookPayload {
  const example = webhookPayload(event, exampleEnvelope(event));
  if (!example) throw new Error(`The example of ${event.source.subject} is not a valid ${event.type}.`);
  return example.payload;
}
