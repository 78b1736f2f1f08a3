import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactUpdated } from '@mp/contracts/events/contacts';
import type { ContactId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { liveService } from '../../test/live-service.ts';
import { mail } from '../../test/setting.ts';
import { storedRun } from '../../test/stored-run.ts';
import { advance } from '../runs/advance.ts';
import { awaitedEffect } from '../runs/effect-of.ts';
import { Definition } from '../workflows/definition.ts';

const hourMs = 60 * 60 * 1_000;
const url = () => '/v2/workflows/settings';

test('/v2/workflows/settings', async (t) => {
  const { account, app, clock, contact, create, ended, pass, play, read, trigger } = await liveService(t);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'workflows:read', url });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'workflows:write', url, body: { quiet_hours: null } });
  const steps = [{ id: 'hi', ...mail }];
  const time = (fromNow: number) => new Date(clock().getTime() + fromNow * hourMs).toISOString().slice(11, 16);
  const quietNow = () => ({ from: time(-1), to: time(3), timezone: 'UTC' });
  const start = async (workflowId: string) => {
    const id = await contact();
    play.contacts.set(id, { id, email: `${id}@example.com`, timezone: null });
    return trigger(workflowId, id);
  };
  const moveContact = async (id: ContactId, timezone: string) => {
    const contact = aContact({ id, email: `${id}@example.com`, timezone, revision: 2 });
    play.contacts.set(id, { id, email: `${id}@example.com`, timezone });
    await play.publish(ContactUpdated, account.accountId, { contact, changed: ['timezone'] });
  };
  const isQuiet = (runId: string) => eventually(async () => (await read(runId)).waiting_for === 'time');

  await t.test('quiet hours of the account hold the emails of workflows that have none, live and in simulations', async () => {
    const own = { from: time(5), to: time(6), timezone: 'UTC' };
    const [without, other] = [await create({ steps }), await create({ steps, quiet_hours: own })];
    assert.deepEqual((await account.get(url())).data, { quiet_hours: null, approval: 'off', revision: 0 });
    const quiet_hours = quietNow();
    assert.partialDeepStrictEqual((await account.put(url(), { quiet_hours })).data, { quiet_hours });
    assert.equal((await account.get(`/v2/workflows/${without.id}`)).data.quiet_hours, null);

    const held = await start(without.id);
    assert.equal((await ended(await start(other.id))).state, 'completed');
    await isQuiet(held);
    assert.equal((await read(held)).wake_at.slice(11, 16), quiet_hours.to);
    const { data } = await account.post(`/v2/workflows/${without.id}/simulate`, {});
    assert.match(data.log.at(1).text, /Quiet hours/);
    pass(4 * hourMs);
    assert.equal((await ended(held)).state, 'completed');
  });

  await t.test('a run that waits for quiet hours follows their change, and a new time zone of its contact', async () => {
    const { id } = await create({ steps });
    await account.put(url(), { quiet_hours: quietNow() });
    const held = [await start(id), await start(id)] as const;
    for (const run of held) await isQuiet(run);
    const wakes = async (run: string) => (await read(run)).wake_at.slice(11, 16);
    await account.put(url(), { quiet_hours: { ...quietNow(), to: time(5) } });
    await eventually(async () => (await wakes(held[0])) === time(5) && (await wakes(held[1])) === time(5));
    const { contact_id } = await read(held[0]);
    await moveContact(contact_id, 'Pacific/Kiritimati');
    assert.equal((await ended(held[0])).state, 'completed');
    assert.equal((await read(held[1])).state, 'waiting');
    await account.put(url(), { quiet_hours: null });
    assert.equal((await ended(held[1])).state, 'completed');
  });

  await t.test('quiet hours that are removed while a contact is looked up leave the run waiting for the look-up', () => {
    const definition = Definition.parse({ trigger: { type: 'manual' }, steps, entry: {}, on_error: 'exit' });
    const waiting = { for: 'answer', key: 'run_1:3', at: clock().toISOString(), asked: 0 } as const;
    const run = { ...storedRun({}), step: 'hi', waiting };
    assert.deepEqual(awaitedEffect(definition, run), { type: 'look_up', key: waiting.key });
    const after = advance(definition, run, { type: 'looked_up', key: waiting.key, contact: null, revision: 1 }, clock());
    assert.equal(after.effects[0]?.type, 'send');
  });

  await t.test('names the field of invalid quiet hours', async () => {
    const { error } = await account.put(url(), { quiet_hours: { from: '25:00', to: '07:00' } });
    assert.equal(error.details[0].path, '/quiet_hours/from');
  });
});
