import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactUpdated, ImportCompleted } from '@mp/contracts/events/contacts';
import { type AccountId, newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from '../../test/live-service.ts';
import { contactOf, sleeper } from '../../test/setting.ts';

const rows = { read: 2, created: 2, updated: 0, unchanged: 0, failed: 0 };

test('a cancelled import', async (t) => {
  const { account, contact, create, parts, pass, play, runsOf } = await liveService(t);
  const { accountId } = account;
  const { db } = parts.mongo;
  const cancelledImports = db.collection<{ _id: string }>('cancelled_imports');
  const inbox = db.collection<{ _id: string }>('inbox');
  const applied = ({ id }: { id: string }, consumer = 'workflows-memberships') =>
    eventually(async () => (await inbox.findOne({ _id: `${consumer} ${id}` })) !== null);
  const isCancelled = async (id: string) => (await cancelledImports.findOne({ _id: id })) !== null;
  const finish = (import_id: string, status: 'completed' | 'cancelled', owner: AccountId = accountId) =>
    play.publish(ImportCompleted, owner, { import_id, status, dry_run: false, rows });
  const cancel = async (id: string) => {
    await finish(id, 'cancelled');
    await eventually(() => isCancelled(id));
  };
  const onSegment = (segment_id: string, more = {}) => create({ ...sleeper, trigger: { type: 'segment_entered', segment_id, ...more } });
  const startedIn = async (id: string) => (await runsOf(id)).map(({ contact_id }: { contact_id: string }) => contact_id).sort();
  const starts = (id: string, contacts: string[]) =>
    eventually(async () => JSON.stringify(await startedIn(id)) === JSON.stringify(contacts.toSorted()));

  await t.test('starts no further runs for contacts that enter a segment; runs that have already started continue', async () => {
    const segmentId = newId('segment');
    const workflow = await onSegment(segmentId);
    const [cancelled, other] = [newId('import'), newId('import')];
    const enter = (contactId: string, correlation_id: string) => play.enterSegment(accountId, segmentId, contactId, { correlation_id });
    const [early, late, ofOther, ofRequest] = [newId('contact'), newId('contact'), newId('contact'), newId('contact')];
    await enter(early, cancelled);
    await starts(workflow.id, [early]);
    await cancel(cancelled);
    await finish(other, 'completed');
    const event = await enter(late, cancelled);
    await applied(event);
    await enter(ofOther, other);
    await enter(ofRequest, newId('request'));
    await starts(workflow.id, [early, ofOther, ofRequest]);
    assert.deepEqual(
      (await runsOf(workflow.id)).filter(({ state }: { state: string }) => state !== 'waiting'),
      [],
    );
  });

  await t.test('starts no further runs for contacts that it creates or changes', async () => {
    const [onCreated, onUpdated] = [
      await create({ ...sleeper, trigger: { type: 'contact_created' } }),
      await create({ ...sleeper, trigger: { type: 'contact_updated' } }),
    ];
    const correlation_id = newId('import');
    await cancel(correlation_id);
    const made = (origin: object) => {
      const contact = contactOf({ id: newId('contact'), email: 'a@example.com', revision: 1 });
      return play.publish(ContactCreated, accountId, { contact }, origin);
    };
    const changed = (origin: object) => {
      const contact = contactOf({ id: newId('contact'), email: 'a@example.com', revision: 2 });
      return play.publish(ContactUpdated, accountId, { contact, changed: ['company'] }, origin);
    };
    for (const event of [await made({ correlation_id }), await changed({ correlation_id })]) await applied(event, 'workflows-contacts');
    const [created, updated] = [await made({}), await changed({})];
    await starts(
      onCreated.id,
      [created.data].map((data) => ContactCreated.data.parse(data).contact.id),
    );
    await starts(
      onUpdated.id,
      [updated.data].map((data) => ContactUpdated.data.parse(data).contact.id),
    );
  });

  await t.test('starts no run of a contact whose rule is evaluated after the cancellation', async () => {
    const segmentId = newId('segment');
    const workflow = await onSegment(segmentId, { when: { field: 'tags', op: 'contains', value: 'vip' } });
    const importId = newId('import');
    const [waiting, witness] = [await contact(), await contact()];
    for (const id of [waiting, witness]) play.contacts.set(id, { id, email: `${id}@example.com` });
    let isKnown = false;
    play.rule = () => ({ known: isKnown, matches: isKnown });
    const candidates = db.collection<{ contact_id: string; asked: number }>('candidates');
    const wasEvaluated = async (id: string) => ((await candidates.findOne({ contact_id: id }))?.asked ?? 0) > 0;
    await play.enterSegment(accountId, segmentId, waiting, { correlation_id: importId });
    await play.enterSegment(accountId, segmentId, witness);
    for (const id of [waiting, witness]) await eventually(() => wasEvaluated(id));
    await cancel(importId);
    isKnown = true;
    pass(60_000);
    await eventually(async () => (await candidates.countDocuments({ contact_id: { $in: [waiting, witness] } })) === 0);
    assert.deepEqual(await startedIn(workflow.id), [witness]);
  });

  await t.test('is one of its account', async () => {
    const segmentId = newId('segment');
    const workflow = await onSegment(segmentId);
    const importId = newId('import');
    await finish(importId, 'cancelled', newId('account'));
    await eventually(() => isCancelled(importId));
    const entering = newId('contact');
    await play.enterSegment(accountId, segmentId, entering, { correlation_id: importId });
    await starts(workflow.id, [entering]);
  });
});
