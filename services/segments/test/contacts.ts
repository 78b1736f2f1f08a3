import type { Contact } from '@mp/contracts/contact';
import type { EventEnvelope, EventType } from '@mp/contracts/event';
import { type AccountId, newId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import { aContact } from '@mp/test-kit/a-contact';
import { eventually } from '@mp/test-kit/eventually';
import type { z } from 'zod';
import type { Segments } from '../src/build-segments.ts';

/** A contact as its service would publish it. */
export const contactWith = (members: Partial<Contact> = {}): Contact =>
  aContact({ email: 'ada@example.com', created_at: '2026-03-01T00:00:00.000Z', updated_at: '2026-03-01T00:00:00.000Z', ...members });

const nowhere: NonNullable<Contact['address']> = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null };
export const livingIn = (city: string): Partial<Contact> => ({ address: { ...nowhere, city } });

/** An event as another service would publish it. */
export const envelopeOf = <Data extends z.ZodType>(event: EventType<Data>, accountId: AccountId, data: z.input<Data>): EventEnvelope => ({
  id: newId('event'),
  type: event.type,
  version: event.version,
  time: new Date().toISOString(),
  account_id: accountId,
  correlation_id: newId('request'),
  causation_id: null,
  producer: 'test',
  data,
});

/** Publishes an event into its stream, as the outbox relay of another service would. */
export async function publish<Data extends z.ZodType>(parts: Parts, event: EventType<Data>, accountId: AccountId, data: z.input<Data>) {
  const envelope = envelopeOf(event, accountId, data);
  await parts.broker.publish(event.subject, JSON.stringify(envelope), envelope.id);
  return envelope;
}

export const origin = () => ({ correlationId: newId('request'), causationId: null });

/** Applies contacts to the service without a broker, concurrently, like events of different contacts. */
export async function applyAll(parts: Parts, built: Segments, accountId: AccountId, contacts: readonly Contact[]) {
  const inOrder = Map.groupBy(contacts, ({ id }) => id);
  const states = [...inOrder.values()].map(async (own) => {
    for (const contact of own)
      await parts.mongo.transaction(origin(), (tx) => built.contacts.apply(tx, accountId, [contact]), { limitMs: 30_000 });
  });
  await Promise.all(states);
}

/** Processes all pending backfills. */
export async function backfillAll({ runner }: Pick<Segments, 'runner'>) {
  while (await runner.serveOne());
}

type Asking = { get: (url: string) => Promise<{ status: number; data: { status: string } }> };

export const untilReady = (client: Asking, segmentId: string) =>
  eventually(async () => (await client.get(`/v2/segments/${segmentId}`)).data.status === 'ready');
