import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { exampleBatch, WebhookBatch } from '@mp/contracts/webhooks/webhook-batch';
import { examplePayload, payloadOf } from '@mp/contracts/webhooks/webhook-event';
import { z } from 'zod';
import type { Schema } from './openapi-types.ts';

const component = '#/components/schemas/';

/** The section `webhooks` of the document: the request that each type of event makes, with its schema and an example. */
export function webhookOperations() {
  const schemas: Record<string, Schema> = {};
  const webhooks = Object.fromEntries(
    webhookEvents.map((event) => {
      const { schema, named } = inComponents(payloadOf(event));
      Object.assign(schemas, named);
      return [event.type, { post: operation({ ...event, description: described, example: examplePayload(event) }, schema) }];
    }),
  );
  const batch = {
    type: 'batch',
    summary: 'Several events, for a webhook with `batch`',
    description: `${described} A batch keeps its events and its ID in every attempt; an event that is replayed is part of another batch.`,
    example: exampleBatch(),
  };
  return { webhooks: { ...webhooks, batch: { post: operation(batch, inComponents(WebhookBatch).schema) } }, schemas };
}

const described =
  'Sent as Standard Webhooks defines it. Verify `webhook-signature` with the secret of the webhook, and ignore a `webhook-id` that you have already processed.';

type Described = { type: string; summary: string; description: string; example: object };

const operation = ({ type, summary, description, example }: Described, schema: Schema) => ({
  operationId: `on_${type.replaceAll('.', '_')}`,
  tags: ['webhooks'],
  summary,
  description,
  security: [],
  parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
    name,
    in: 'header',
    required: true,
    description: headers[name],
    schema: { type: 'string' },
  })),
  requestBody: { required: true, content: { 'application/json': { schema, example } } },
  responses: {
    '2XX': { description: 'The event was accepted.' },
    '410': { description: 'Disables the webhook.' },
    default: { description: 'The event is sent again later.' },
  },
});

const headers: Readonly<Record<string, string>> = {
  'webhook-id': 'ID of the event, or of the batch; the same in every attempt.',
  'webhook-timestamp': 'When the attempt was made, in seconds since 1970.',
  'webhook-signature': '`v1,` and the signature in Base64; several, separated by spaces, while the secret is rotated.',
};

/** The schema of a payload, which refers to schemas with their own names. */
function inComponents(payload: z.ZodType): { schema: Schema; named: Record<string, Schema> } {
  const {
    $schema: _,
    $defs = {},
    ...schema
  } = z.toJSONSchema(payload, {
    io: 'output',
    reused: 'inline',
    unrepresentable: 'any',
    // The format says the same.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  const asComponents = (value: unknown): Schema => JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', component));
  const named = Object.fromEntries(Object.entries($defs).map(([name, { id: _id, ...definition }]) => [name, asComponents(definition)]));
  return { schema: asComponents(schema), named };
}
