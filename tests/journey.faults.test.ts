import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import fc from 'fast-check';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const from = { email: 'news@example.com', name: 'News' };
const minute = 60_000;

test('whoever dies in the middle of the journey, nothing accepted is lost and nothing is done twice', async (t) => {
  const mood = (mail: number) => (mail % 17 === 0 ? 'drop' : mail % 13 === 0 ? 'stall' : 'take');
  const sink = await startMailSink(t, { mood, refuses: (receiver) => receiver % 11 === 0 });
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url } });
  const client = await platform.client('--permission', 'read_write', '--account', 'faults');
  let keys = 0;
  /** As a client that means it: the same key until there is an answer. */
  const write = async (path: string, body: object = {}) => {
    keys += 1;
    const retry = { 'idempotency-key': `write-${keys}` };
    const answer = await eventually(async () => {
      const one = await client.post(path, body, retry).catch(() => undefined);
      return one && one.status < 500 && one.error?.code !== 'IDEMPOTENCY_IN_PROGRESS' ? one : undefined;
    }, minute);
    assert.ok(answer.status < 300, `${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.data;
  };
  const read = async (path: string) => {
    const answer = await eventually(async () => {
      const one = await client.get(path).catch(() => undefined);
      return one?.status === 200 ? one : undefined;
    }, minute);
    return answer.data;
  };
  const everything = async (path: string) => {
    const items: { id: string; [member: string]: unknown }[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { items: typeof items; pagination: { next_cursor: string | null } } = await read(
        `${path}?limit=100${cursor && `&cursor=${cursor}`}`,
      );
      items.push(...page.items);
      cursor = page.pagination.next_cursor;
    }
    return items;
  };

  const berlin = await write('/v2/segments', {
    name: 'Berlin',
    definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] },
  });
  const workflow = await write('/v2/workflows', {
    name: 'Welcome',
    trigger: { type: 'segment_entered', segment_id: berlin.id },
    entry: { policy: 'once' },
    steps: [
      { id: 'wait', type: 'delay', for: 'PT1S', next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'welcomed', next: 'mail' },
      { id: 'mail', type: 'send', subject: 'Welcome', from, html: '<p>Welcome</p>' },
    ],
  });

  // A seed decides who dies when; the same one every time.
  const victims = fc.sample(fc.constantFrom('contacts', 'segments', 'campaigns', 'workflows', 'gateway' as const), {
    seed: 11,
    numRuns: 10,
  });
  const waits = fc.sample(fc.integer({ min: 50, max: 1_500 }), { seed: 12, numRuns: 10 });
  const killing = (async () => {
    for (const [index, victim] of victims.entries()) {
      await new Promise((resolve) => setTimeout(resolve, waits[index]));
      await platform.stop(victim, 'SIGKILL');
      await platform.start(victim);
    }
  })();

  const contacts: { id: string; email: string }[] = [];
  for (let index = 0; index < 60; index += 1)
    contacts.push(await write('/v2/contacts', { email: `p${index}@example.com`, address: { city: 'Berlin' } }));
  const campaign = await write('/v2/campaigns', {
    name: 'All',
    subject: 'Campaign',
    from,
    html: '<p>Hello</p>',
    audience: { include: ['all'] },
  });
  await write(`/v2/campaigns/${campaign.id}/send`);
  await killing;

  await t.test('every contact that was accepted is there, and in its segment', async () => {
    assert.deepEqual((await everything('/v2/contacts')).map(({ id }) => id).sort(), contacts.map(({ id }) => id).sort());
    await eventually(async () => (await everything(`/v2/segments/${berlin.id}/contacts`)).length === contacts.length, minute);
  });

  await t.test('every run ends, once for each contact', async () => {
    const runs = await eventually(async () => {
      const all = await everything(`/v2/workflows/${workflow.id}/runs`);
      return all.length === contacts.length && all.every(({ ended_at }) => ended_at !== null) && all;
    }, 4 * minute);
    assert.equal(new Set(runs.map(({ contact_id }) => contact_id)).size, contacts.length);
    for (const contact of await everything('/v2/contacts')) assert.deepEqual(contact.tags, ['welcomed']);
  });

  await t.test('the ledger adds up at the end, and nobody got the campaign twice unless its row says unknown', async () => {
    await eventually(async () => {
      const { reconciliation } = await read(`/v2/campaigns/${campaign.id}/ledger?limit=1`);
      assert.ok(reconciliation.audience_count === null || reconciliation.reconciles, JSON.stringify(reconciliation));
      const { states } = reconciliation;
      return reconciliation.audience_count === contacts.length && states.queued + states.sending + states.deferred === 0;
    }, 3 * minute);
    const rows = await everything(`/v2/campaigns/${campaign.id}/ledger`);
    assert.equal(rows.length, contacts.length);
    for (const { contact_id, state } of rows) {
      const email = contacts.find(({ id }) => id === contact_id)?.email ?? '';
      const arrived = sink.to(email).filter(({ subject }) => subject === 'Campaign').length;
      if (state === 'sent' || state === 'delivered') assert.equal(arrived, 1, `${email} is ${state} and got ${arrived}`);
      else assert.ok(state === 'unknown' ? arrived <= 1 : arrived === 0, `${email} is ${state} and got ${arrived}`);
    }
  });
});
