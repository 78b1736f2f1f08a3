import assert from 'node:assert/strict';
import { eventually, everything, from, ok, trigger, type World } from './world.ts';

const tag = (name: string) => ({ id: 'end', type: 'add_tag', tag: name });
const never = [{ type: 'event', name: 'never' }];
const paid = [{ type: 'event', name: 'paid' }];

type Kept = Record<string, { id: string; contacts: string[]; runs: string[] }>;

/** `keep` creates a workflow, starts its runs, and notes both. */
function keeping(client: World['client'], kept: Kept) {
  const create = (name: string, steps: object[], more: object = {}) =>
    ok(client.post('/v2/workflows', { name, trigger: { type: 'manual' }, entry: { policy: 'every_time' }, steps, ...more }));
  const keep = async (name: string, contacts: readonly string[], steps: object[], more: object = {}) => {
    const { id } = await create(name, steps, more);
    kept[name] = { id, contacts: [...contacts], runs: await trigger(client, id, contacts) };
    return id;
  };
  return { create, keep };
}

/** Workflows with every trigger, runs that ended in every way, and runs that wait for a time, an event, capacity or a user. */
export async function prepareWorkflows({ client, hooks, manifest }: World, ids: readonly string[]) {
  const { segments, settings } = manifest;
  const kept: Kept = {};
  const { create, keep } = keeping(client, kept);
  const some = (first: number, count = 2) => ids.slice(first, first + count);
  const stateOf = async (run: string) => (await ok(client.get(`/v2/workflows/runs/${run}`))).state;

  // Triggers that start runs while the platform is killed.
  const mail = {
    id: 'mail',
    type: 'send',
    subject: 'Welcome',
    from,
    html: '<p>Welcome, {{ contact.first_name | default: "you" }}</p>',
    next: 'end',
  };
  const welcome = await create('Welcome', [mail, tag('welcomed')], {
    trigger: { type: 'segment_entered', segment_id: segments.berlin },
    entry: { policy: 'once' },
  });
  const thanks = await create('Thanks', [tag('thanked')], { trigger: { type: 'event', name: 'ordered' }, entry: { policy: 'once' } });
  const hook = await create('Hook', [tag('hooked')], { trigger: { type: 'webhook_received', contact: { email: '/customer/email' } } });
  await create('Yearly', [tag('new-year')], { trigger: { type: 'schedule', cron: '0 0 1 1 *', segment_id: segments.fair } });
  await create('Renewal', [tag('renewed')], { trigger: { type: 'date', field: 'attributes.renewal' } });
  await create('Clicked', [tag('clicker')], { trigger: { type: 'message_clicked' } });
  await create('Draft', [tag('drafted')], { status: 'draft' });

  // A start_workflow step starts runs of this one.
  const child = await create('Child', [{ id: 'wait', type: 'delay', for: 'P3D', next: 'end' }, tag('child')]);

  // Runs that have ended, after every type of step.
  const all = [
    { id: 'wait', type: 'delay', for: 'PT1S', next: 'split' },
    {
      id: 'split',
      type: 'split',
      paths: [
        { weight: 1, to: 'branch' },
        { weight: 1, to: 'branch' },
      ],
    },
    { id: 'branch', type: 'branch', branches: [{ when: { field: 'attributes.plan', op: 'eq', value: 'pro' }, to: 'add' }], else: 'add' },
    { id: 'add', type: 'add_tag', tag: 'first', next: 'remove' },
    { id: 'remove', type: 'remove_tag', tag: 'first', next: 'update' },
    { id: 'update', type: 'update_contact', set: { job_title: 'Reader' }, increment: { 'attributes.score': 1 }, next: 'enter' },
    { id: 'enter', type: 'add_to_segment', segment_id: segments.fair, next: 'leave' },
    { id: 'leave', type: 'remove_from_segment', segment_id: segments.fair, next: 'call' },
    { id: 'call', type: 'webhook', url: `http://${hooks.host}/ended`, capture: { code: '/code' }, next: 'mail' },
    { id: 'mail', type: 'send', subject: 'Code {{ responses.call.code }}', from, html: '<p>Hello</p>', next: 'track' },
    { id: 'track', type: 'track_event', event: 'walked', properties: { code: '{{ responses.call.code }}' }, next: 'notify' },
    { id: 'notify', type: 'notify', user_id: settings.user_id, subject: 'Run {{ contact.email }}', text: 'It ran.', next: 'until' },
    {
      id: 'until',
      type: 'wait_until',
      any: [{ type: 'field', when: { field: 'attributes.score', op: 'gte', value: 1 } }],
      timeout: 'P3D',
      next: 'start',
    },
    { id: 'start', type: 'start_workflow', workflow_id: child.id, next: 'end' },
    tag('walked'),
  ];
  await keep('Every step', some(60, 3), all);
  hooks.mood('/refused', 400);
  await keep('Failed', some(63, 1), [{ id: 'call', type: 'webhook', url: `http://${hooks.host}/refused` }], { on_error: 'exit' });
  await keep('Cancelled', some(64, 1), [{ id: 'wait', type: 'delay', for: 'P3D' }]);
  await ok(client.post(`/v2/workflows/runs/${kept.Cancelled?.runs[0]}/cancel`));
  await keep('Exited', some(65, 1), [{ id: 'exit', type: 'exit', reason: 'Enough.' }]);
  await eventually(async () => {
    const ended = ['Every step', 'Failed', 'Cancelled', 'Exited'].flatMap((name) => kept[name]?.runs ?? []);
    const states = await Promise.all(ended.map(stateOf));
    return states.every((state) => state !== 'active' && state !== 'waiting');
  });

  // Runs that wait for a later day, or for what a user does.
  await keep('Delay', some(66), [{ id: 'wait', type: 'delay', for: 'P3D', next: 'end' }, tag('delayed')]);
  const unpaid = { id: 'late', type: 'add_tag', tag: 'unpaid' };
  await keep('Event', some(68), [
    { id: 'wait', type: 'wait_until', any: paid, timeout: 'P3D', next: 'end', on_timeout: 'late' },
    tag('paid'),
    unpaid,
  ]);
  await keep('Goal', some(70), [{ id: 'goal', type: 'goal', any: paid, within: 'P3D', next: 'end' }, tag('no-goal')]);
  const first = [{ id: 'wait', type: 'delay', for: 'P3D', next: 'end' }, tag('admitted')];
  await keep('Capacity', some(72, 3), first, { max_concurrent: 1 });
  const enters = [{ type: 'segment_entered', segment_id: segments.fair }];
  await keep('Membership', some(75, 1), [{ id: 'wait', type: 'wait_until', any: enters, timeout: 'P3D', next: 'end' }, tag('visited')]);
  const paused = await keep('Paused', some(76), [{ id: 'wait', type: 'delay', for: 'PT2M', next: 'end' }, tag('resumed')]);
  await ok(client.post(`/v2/workflows/${paused}/pause`));
  const moved = await keep('Two versions', some(78), [{ id: 'wait', type: 'delay', for: 'P3D', next: 'end' }, tag('version-1')]);
  await ok(client.put(`/v2/workflows/${moved}`, { steps: [{ id: 'wait', type: 'delay', for: 'P3D', next: 'end' }, tag('version-2')] }));

  const waits = new Set(['Delay', 'Event', 'Goal', 'Membership', 'Paused', 'Two versions']);
  await eventually(async () => {
    const runs = Object.entries(kept)
      .filter(([name]) => waits.has(name))
      .flatMap(([, { runs }]) => runs);
    return (await Promise.all(runs.map(stateOf))).every((state) => state === 'waiting');
  });
  await eventually(async () => {
    const rows = await everything(client, `/v2/workflows/${kept.Capacity?.id}/runs`);
    return rows.length === 3 && rows.every(({ state }) => state === 'waiting');
  });
  manifest.workflows = { welcome: welcome.id, thanks: thanks.id, hook: hook.id, child: child.id, kept };
  manifest.hook_path = (await ok(client.get(`/v2/workflows/${hook.id}/hook`))).path;
}

/** Runs and a campaign that are not due before the crash, and are due when the platform starts again. Called just before the crash. */
export async function prepareDue({ client, manifest }: World) {
  const { ids } = manifest.contacts;
  const { keep } = keeping(client, manifest.workflows.kept);
  const wait = { id: 'wait', type: 'wait_until', any: never, timeout: 'PT10M', on_timeout: 'end' };
  await keep('Due delay', ids.slice(80, 82), [{ id: 'wait', type: 'delay', for: 'PT10M', next: 'end' }, tag('after-delay')]);
  await keep('Due event', ids.slice(82, 84), [wait, tag('after-event')]);
  await keep('Due goal', ids.slice(84, 86), [{ id: 'goal', type: 'goal', any: never, within: 'PT10M', next: 'end' }, tag('after-goal')]);
  const audience = { include: [manifest.segments.receivers] };
  const due = await ok(client.post('/v2/campaigns', { name: 'Due', subject: 'Due', from, html: '<p>Hello</p>', audience }));
  await ok(client.post(`/v2/campaigns/${due.id}/send`, { schedule_at: new Date(Date.now() + 10 * 60_000).toISOString() }));
  manifest.campaigns.due = due.id;
}

/** The steps that wait for another service, which does not run: each with the steps of a workflow that reaches it. */
const waitingSteps = (hooks: World['hooks'], { segments, settings, workflows }: World['manifest']): Record<string, object> => ({
  add_tag: { type: 'add_tag', tag: 'late' },
  remove_tag: { type: 'remove_tag', tag: 'people' },
  update_contact: { type: 'update_contact', set: { job_title: 'Late' }, increment: { 'attributes.score': 5 } },
  filled: { type: 'update_contact', set: { company: '{{ data.company }} of {{ contact.last_name }}' } },
  add_to_segment: { type: 'add_to_segment', segment_id: segments.fair },
  remove_from_segment: { type: 'remove_from_segment', segment_id: segments.fair },
  send: { type: 'send', subject: 'Late email', from, html: '<p>Hello {{ contact.first_name }}</p>' },
  webhook: { type: 'webhook', url: `http://${hooks.host}/hanging`, body: { run: '{{ run.id }}' } },
  track_event: { type: 'track_event', event: 'late_event' },
  branch: { type: 'branch', branches: [{ when: { field: 'attributes.plan', op: 'eq', value: 'free' }, to: 'end' }], else: 'end' },
  wait_until: {
    ...{
      type: 'wait_until',
      any: [{ type: 'segment_entered', segment_id: segments.receivers }],
      timeout: 'P3D',
      next: 'end',
      on_timeout: 'end',
    },
  },
  start_workflow: { type: 'start_workflow', workflow_id: workflows.child },
  notify: { type: 'notify', user_id: settings.user_id, subject: 'Late notification', text: 'Hello' },
});

/** The index of the first contact that stands at a step. */
const firstStanding = 90;

/** Creates the workflows of `standAtEveryStep`, while all services run. */
export async function prepareSteps({ client, hooks, manifest }: World) {
  const created: Record<string, string> = {};
  for (const [name, step] of Object.entries(waitingSteps(hooks, manifest))) {
    const next = 'next' in step || 'else' in step ? {} : { next: 'end' };
    // The gateway, which notifies users, is killed during this delay.
    const delay = name === 'notify' ? [{ id: 'wait', type: 'delay', for: 'PT4S', next: 'step' }] : [];
    const steps = [...delay, { id: 'step', ...step, ...next }, tag(`done-${name}`)];
    const { id } = await ok(client.post('/v2/workflows', { name: `At ${name}`, trigger: { type: 'manual' }, steps }));
    created[name] = id;
  }
  manifest.steps = created;
  const leaver = firstStanding + Object.keys(created).indexOf('remove_from_segment');
  await ok(client.post(`/v2/segments/${manifest.segments.fair}/contacts`, { contacts: [{ id: manifest.contacts.ids[leaver] }] }));
  hooks.mood('/hanging', 'hang');
}

/** Starts a run of each of these workflows. The services that their steps need must be stopped. */
export async function standAtEveryStep({ client, manifest }: World, ids: readonly string[]) {
  const started: Record<string, { workflow: string; contact: string; run: string }> = {};
  const names = Object.keys(manifest.steps);
  for (const [index, name] of names.entries()) {
    const contact = ids[firstStanding + index] ?? '';
    const [run] = await trigger(client, manifest.steps[name], [contact], { company: 'Late Ltd' });
    assert.ok(run);
    started[name] = { workflow: manifest.steps[name], contact, run };
  }
  manifest.steps = started;
}
