import type { TestContext } from 'node:test';
import { defineEvent, type EventEnvelope } from '@mp/contracts/event';
import { contactId } from '@mp/contracts/ids';
import type { Lane } from '@mp/contracts/lanes';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { onAll } from '../src/consume.ts';
import { createEventGroups } from '../src/event-groups.ts';
import type { Parts } from '../src/service-parts.ts';

export const Happened = defineEvent({
  type: 'kit.thing.happened',
  version: 1,
  meaning: 'A thing happened.',
  data: z.object({ contact_id: contactId, revision: z.number().int() }),
});
type Happened = z.output<typeof Happened.data>;

export const happened = (data: Partial<Happened> = {}, account_id = newId('account')): EventEnvelope<Happened> => ({
  id: newId('event'),
  type: Happened.type,
  version: 1,
  time: new Date().toISOString(),
  account_id,
  correlation_id: newId('request'),
  causation_id: null,
  producer: 'kit',
  data: { contact_id: newId('contact'), revision: 1, ...data },
});

type Row = { _id: string; revision: number };

/** Keeps the highest revision of each contact, and says so. `sizes` has the size of each group. */
export async function groupSetting(
  t: TestContext,
  before: (events: readonly EventEnvelope<Happened>[]) => void | Promise<void> = () => {},
) {
  const parts = await testParts(t, 'kit');
  const { mongo, outbox } = parts;
  await parts.prepare();
  await mongo.db.createCollection('rows');
  const rows = mongo.db.collection<Row>('rows');
  const sizes: number[] = [];
  const reaction = onAll(Happened, async (tx, events) => {
    await before(events);
    const found = await rows.find({ _id: { $in: events.map(({ data }) => data.contact_id) } }, { session: tx.session }).toArray();
    const known = new Map(found.map(({ _id, revision }) => [_id, revision]));
    const newer = events.filter(({ data }) => data.revision > (known.get(data.contact_id) ?? 0));
    if (newer.length > 0)
      await rows.bulkWrite(
        newer.map(({ data: { contact_id, revision } }) => ({
          updateOne: { filter: { _id: contact_id }, update: { $set: { revision } }, upsert: true },
        })),
        { session: tx.session },
      );
    for (const { account_id, data } of newer) await outbox.add(tx, Happened, account_id, data);
    tx.afterCommit(() => sizes.push(events.length));
  });
  const build = (limits: Parameters<typeof createEventGroups>[1] = { maxEvents: 200, atOnce: 2 }) => {
    const groups = createEventGroups({ mongo, name: 'kit' }, limits);
    return { ...groups, apply: (event: EventEnvelope, lane?: Lane) => groups.apply(event, reaction, 500, lane) };
  };
  return { parts, rows, sizes, build };
}

export async function written({ mongo }: Parts): Promise<EventEnvelope<Happened>[]> {
  const rows = await mongo.db.collection<{ events: { envelope: string }[] }>('outbox').find().toArray();
  return rows.flatMap(({ events }) => events.map(({ envelope }) => JSON.parse(envelope)));
}
