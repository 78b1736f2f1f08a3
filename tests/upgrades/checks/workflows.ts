import assert from 'node:assert/strict';
import type { Json } from '../../contract.ts';
import { everything, ok } from '../scenario/world.ts';
import { checkOnce, eventually, received, type Upgraded } from './upgraded.ts';

type Kept = { id: string; contacts: string[]; runs: string[] };

/** Runs that waited for a later day still do; runs that were due continue; each contact has the run it had, and no other. */
export async function checkRuns({ client, manifest }: Upgraded) {
  const kept: Record<string, Kept> = manifest.workflows.kept;
  const runOf = (id: string) => ok(client.get(`/v2/workflows/runs/${id}`));
  const tagsOf = async (id: string): Promise<string[]> => (await ok(client.get(`/v2/contacts/${id}`))).tags;
  const runsOf = (name: string) => kept[name]?.runs ?? [];
  const contactsOf = (name: string) => kept[name]?.contacts ?? [];
  const checkEnds = async (name: string, tag: string, state = 'completed') => {
    for (const id of runsOf(name)) await eventually(async () => (await runOf(id)).state === state);
    for (const id of contactsOf(name)) await eventually(async () => (await tagsOf(id)).includes(tag) === (state === 'completed'));
  };

  for (const { id, runs, contacts } of Object.values(kept)) {
    const found: Json[] = await everything(client, `/v2/workflows/${id}/runs`);
    assert.deepEqual(found.map((run) => run.id).sort(), [...runs].sort());
    assert.deepEqual(found.map((run) => run.contact_id).sort(), [...contacts].sort());
  }
  const ended = { 'Every step': 'completed', Failed: 'failed', Cancelled: 'cancelled' };
  for (const [name, state] of Object.entries(ended)) for (const id of runsOf(name)) assert.equal((await runOf(id)).state, state, name);
  const steps = (await runOf(runsOf('Every step')[0] ?? '')).log.map(({ step_id }: Json) => step_id);
  assert.equal(new Set(steps.filter((step: string | null) => step !== null)).size, 15, 'the log of an ended run is kept');

  const day = 24 * 60 * 60 * 1_000;
  for (const name of ['Delay', 'Event', 'Goal', 'Membership', 'Two versions'])
    for (const id of runsOf(name)) {
      const run = await runOf(id);
      const waits = Date.parse(run.wake_at) - Date.parse(manifest.crashed_at);
      assert.ok(run.state === 'waiting' && waits > 2.5 * day && waits < 3 * day, `${name} waits until ${run.wake_at}`);
    }
  for (const [name, tag] of Object.entries({ 'Due delay': 'after-delay', 'Due event': 'after-event', 'Due goal': 'after-goal' }))
    await checkEnds(name, tag);

  for (const contact_id of [...contactsOf('Event'), ...contactsOf('Goal')]) {
    const { email } = await ok(client.get(`/v2/contacts/${contact_id}`));
    await ok(client.post('/v2/leadpulse/track', { event: 'paid', visitor_id: `paid ${contact_id}`, email }));
  }
  await checkEnds('Event', 'paid');
  await checkEnds('Goal', 'no-goal', 'converted');
  const members = contactsOf('Membership').map((id) => ({ id }));
  await ok(client.post(`/v2/segments/${manifest.segments.fair}/contacts`, { contacts: members }));
  await checkEnds('Membership', 'visited');
  await ok(client.post(`/v2/workflows/${kept.Paused?.id}/activate`));
  await checkEnds('Paused', 'resumed');
  for (const name of ['Delay', 'Two versions']) for (const id of runsOf(name)) await ok(client.post(`/v2/workflows/runs/${id}/skip`));
  await checkEnds('Delay', 'delayed');
  await checkEnds('Two versions', 'version-1');
  // One run at a time may take its first step.
  for (const open of [3, 2, 1]) {
    const admitted: Json = await eventually(async () => {
      const runs: Json[] = await Promise.all(runsOf('Capacity').map(runOf));
      assert.equal(runs.filter(({ ended_at }) => ended_at === null).length, open);
      return runs.find(({ waiting_for }) => waiting_for === 'time');
    });
    await ok(client.post(`/v2/workflows/runs/${admitted.id}/skip`));
    await eventually(async () => (await runOf(admitted.id)).state === 'completed');
  }
}

/** A run that stood at a step takes it once, whichever service the step waits for. */
export async function checkSteps(upgraded: Upgraded) {
  const { client, hooks, manifest } = upgraded;
  const steps: Record<string, { workflow: string; contact: string; run: string }> = manifest.steps;
  const contactOf = async (name: string) => ok(client.get(`/v2/contacts/${steps[name]?.contact}`));
  // The contact of this step is in no static segment, so its run waits until it enters one.
  const entering = { contacts: [{ id: steps.wait_until?.contact }] };
  await ok(client.post(`/v2/segments/${manifest.segments.receivers}/contacts`, entering));
  for (const [name, { workflow, contact, run }] of Object.entries(steps)) {
    await eventually(async () => {
      const { state, reason } = await ok(client.get(`/v2/workflows/runs/${run}`));
      if (state !== 'completed') assert.ok(['active', 'waiting'].includes(state), `${name}: ${state}, ${reason}`);
      return state === 'completed';
    });
    const runs: Json[] = await everything(client, `/v2/workflows/${workflow}/runs`);
    assert.deepEqual(
      runs.map(({ contact_id }) => contact_id),
      [contact],
      name,
    );
    assert.ok((await contactOf(name)).tags.includes(`done-${name}`), name);
  }
  assert.ok((await contactOf('add_tag')).tags.includes('late'));
  assert.ok(!(await contactOf('remove_tag')).tags.includes('people'));
  const updated = await contactOf('update_contact');
  assert.deepEqual([updated.job_title, updated.attributes.score], ['Late', 5]);
  assert.equal((await contactOf('filled')).company, 'Late Ltd of Müller');
  const fair = new Set((await everything(client, `/v2/segments/${manifest.segments.fair}/contacts`)).map(({ id }) => id));
  assert.deepEqual([fair.has(steps.add_to_segment?.contact), fair.has(steps.remove_from_segment?.contact)], [true, false]);
  const { email } = await contactOf('send');
  assert.equal(received(upgraded, email, 'Late email'), 1);
  assert.equal(received(upgraded, 'mary@team.example', 'Late notification'), 1);
  const calls = [...manifest.calls, ...hooks.calls].filter(({ path }: { path: string }) => path === '/hanging');
  assert.equal(new Set(calls.map(({ id }: { id: string }) => id)).size, 1, 'a repeated call has the same webhook-id');
  await eventually(async () => (await everything(client, '/v2/leadpulse/events?event=late_event')).length === 1);
  const children: Json[] = await everything(client, `/v2/workflows/${manifest.workflows.child}/runs`);
  assert.equal(children.filter(({ contact_id }) => contact_id === steps.start_workflow?.contact).length, 1);
}

/** What was written before the crash starts the runs that it should: one for each contact. */
export async function checkTriggers(upgraded: Upgraded) {
  const { client, manifest } = upgraded;
  const { workflows, load } = manifest;
  const all: Json[] = await everything(client, '/v2/contacts');
  const byEmail = new Map(all.map((contact) => [contact.email, contact]));
  const idsOf = (emails: readonly string[]) => [...new Set(emails)].map((email) => byEmail.get(email)?.id).sort();
  const ended = (workflow: string, expected: readonly string[]) =>
    eventually(async () => {
      const runs: Json[] = await everything(client, `/v2/workflows/${workflow}/runs`);
      assert.ok(runs.length <= expected.length, `${runs.length} runs of ${expected.length} contacts`);
      return runs.length === expected.length && runs.every(({ ended_at }) => ended_at !== null) && runs;
    });
  const written: Json[] = [...load.contacts.acknowledged, ...load.contacts.unanswered];
  const berlin = idsOf(written.filter(({ address }) => address.city === 'Berlin').map(({ email }) => email));
  const welcomes = await ended(workflows.welcome, berlin);
  assert.deepEqual(welcomes.map(({ contact_id }: Json) => contact_id).sort(), berlin);
  const buyers = idsOf([...load.orders.acknowledged, ...load.orders.unanswered].map(({ email }: Json) => email));
  const thanks = await ended(workflows.thanks, buyers);
  assert.deepEqual(thanks.map(({ contact_id }: Json) => contact_id).sort(), buyers);

  const emails = new Map(all.map(({ id, email }) => [id, email]));
  for (const { id, contact_id } of welcomes) {
    const { log } = await ok(client.get(`/v2/workflows/runs/${id}`));
    const unknown = log.some(({ step_id, event }: Json) => step_id === 'mail' && event === 'skipped');
    checkOnce(upgraded, { to: emails.get(contact_id) ?? '', subject: 'Welcome', state: unknown ? 'unknown' : 'sent' });
  }
  const hook = { customer: { email: all[0].email } };
  assert.equal((await client.post(manifest.hook_path, hook)).status, 202, 'the inbound URL is still valid');
}
