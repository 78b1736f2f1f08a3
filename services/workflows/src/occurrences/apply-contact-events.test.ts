import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { knownContact, quietService, smallest } from '../../test/setting.ts';
import { createContactsStore } from '../contacts/contacts-store.ts';
import type { ApplyInputs } from '../runs/apply-inputs.ts';
import type { StartRuns } from '../runs/start-runs.ts';
import { createWorkflowsStore } from '../workflows/workflows-store.ts';
import { createApplyContactEvents } from './apply-contact-events.ts';

test('a run starts before or after a concurrent merge of its contact, never for the merged contact', async (t) => {
  const { app, parts } = await quietService(t);
  const { mongo, cursors } = parts;
  const account = testClient(app);
  const { accountId: account_id } = account;
  assert.equal((await account.post('/v2/workflows', { ...smallest, trigger: { type: 'contact_created' } })).status, 201);
  const [contactId, survivor] = [await knownContact(parts, account_id), await knownContact(parts, account_id)];

  const begun: string[] = [];
  const startRuns: StartRuns = async (_tx, starts) => {
    begun.push(...starts.map(({ entrant }) => entrant.contactId));
    return [];
  };
  const applyInputs: ApplyInputs = async () => [];
  const contacts = createContactsStore(mongo.db);
  const workflows = createWorkflowsStore(mongo.db, cursors, async () => undefined);
  const origin = { correlationId: 'req_12345678', causationId: null };
  const event = {
    ...{ id: newId('event'), type: 'contacts.contact.created', version: 1, time: new Date().toISOString(), producer: 'test', data: {} },
    ...{ account_id, correlation_id: origin.correlationId, causation_id: null },
  };
  const merge = () =>
    mongo.transaction(origin, (tx) => contacts.forget(tx, account_id, { id: contactId, revision: 2, mergedInto: survivor }), {
      limitMs: 0,
    });
  await mongo.transaction(origin, async (tx) => {
    const applyContactEvents = createApplyContactEvents({
      ...{ workflows, contacts, startRuns, applyInputs, clock: () => new Date(), holds: () => false },
      runs: { stepsOf: async () => new Map(), watching: async () => [] },
      chains: { of: async () => new Map() },
      cancelledImports: { among: async () => new Set() },
      candidates: { add: async () => undefined },
      occurrences: { add: async () => [] },
    });
    await applyContactEvents(tx, [{ event, contactId, trigger: { type: 'contact_created' } }]);
    await assert.rejects(merge(), { code: 'SERVICE_UNAVAILABLE' }, 'it conflicts with the run that starts');
  });
  assert.deepEqual(begun, [contactId]);
  assert.equal(await merge(), true);
});
