import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import type { EventType } from '@mp/contracts/event';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import type { AccountId, ContactId } from '@mp/ids';
import type { Client } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import type { z } from 'zod';
import { buildApp } from '../src/app.ts';

/** The service with a contacts service that knows the contacts in `known` and the merges in `merges`. */
export async function startIdentities(t: TestContext) {
  const parts = await testParts(t, 'leadpulse');
  const received = await listenToEvents(t);
  const { app } = await testService(t, parts, buildApp, { live: true });
  const known: Contact[] = [];
  const merges: { id: ContactId; into: ContactId }[] = [];
  /** If set, the next reply waits for this. */
  let held: Promise<void> | undefined;
  await parts.broker.reply(ContactsFind, async ({ ids, emails, external_ids }) => {
    const gate = held;
    held = undefined;
    await gate;
    const merged = merges.filter(({ id }) => ids.includes(id));
    const wanted = [...ids, ...merged.map(({ into }) => into)];
    return {
      contacts: known.filter(
        ({ id, email, external_id }) =>
          wanted.includes(id) || (email !== null && emails.includes(email)) || (external_id !== null && external_ids.includes(external_id)),
      ),
      merged,
    };
  });

  /** Publishes an event of the contacts service. */
  const publish = <Data extends z.ZodType>(event: EventType<Data>, accountId: AccountId, data: z.input<Data>) =>
    parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => parts.outbox.add(tx, event, accountId, data));
  const track = async (account: Client, body: object) => {
    const response = await account.post('/v2/leadpulse/track', body);
    assert.equal(response.status, 202, response.text);
    return response.data.results[0].id as string;
  };
  const visitorOf = (account: Client, visitorId: string, is: (visitor: { contact_id: string | null; events: number }) => boolean) =>
    eventually(async () => {
      const [visitor] = (await account.get(`/v2/leadpulse/visitors?visitor_id=${visitorId}`)).data.items;
      return visitor && is(visitor) && visitor;
    });

  return {
    ...{ parts, app, received, known, merges, publish, track, visitorOf },
    /** Delays the next reply of the contacts service until `gate`. */
    holdNextReply(gate: Promise<void>) {
      held = gate;
    },
  };
}
