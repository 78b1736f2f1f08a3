import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import fc from 'fast-check';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const from = { email: 'news@example.com', name: 'News' };
const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };
/** Only to end a journey that hangs: on a busy machine, a killed service starts again and takes over a request after a minute. */
const withinMs = 5 * 60_000;
const people = 40;
/** The approximate number of writes until the last campaign: a kill can follow any of them. */
const moments = 2 * people + 12;

type Victim = ServiceName | 'mongodb' | 'nats';

test('killing any service at any point loses nothing accepted and does nothing twice', async (t) => {
  await journey(t, { seed: 11, deaths: 14, victims: serviceNames });
});

test('killing MongoDB and NATS repeatedly does not change the outcome', async (t) => {
  await journey(t, { seed: 21, deaths: 6, victims: ['mongodb', 'nats'] });
});

/** The whole journey of clients that retry; the seed decides which process is killed after which write. */
async function journey(t: TestContext, { seed, deaths, victims }: { seed: number; deaths: number; victims: readonly Victim[] }) {
  const mood = (mail: number) => (mail % 17 === 0 ? 'drop' : mail % 13 === 0 ? 'stall' : 'take');
  const sink = await startMailSink(t, { mood, refuses: (receiver) => receiver % 11 === 0 });
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url }, ownInfra: victims.includes('mongodb') });
  const client = await platform.client('--permission', 'read_write', '--account', 'faults');

  const whoDies = new Map(
    fc
      .sample(fc.uniqueArray(fc.integer({ min: 1, max: moments }), { minLength: deaths, maxLength: deaths }), { seed, numRuns: 1 })
      .flat()
      .map((moment, index) => [moment, victims[index % victims.length]]),
  );
  let dying: Promise<unknown> = Promise.resolve();
  let passed = 0;
  const moment = () => {
    passed += 1;
    const victim = whoDies.get(passed);
    if (victim !== undefined) dying = dying.then(() => kill(victim));
  };
  async function kill(victim: Victim) {
    if (victim === 'mongodb' || victim === 'nats') return platform.signalServer(victim, 'SIGKILL');
    await platform.stop(victim, 'SIGKILL');
    await platform.start(victim);
  }

  let keys = 0;
  /** Retries with the same key until there is a response. */
  const write = async (path: string, body: object = {}) => {
    moment();
    keys += 1;
    const retry = { 'idempotency-key': `write-${keys}` };
    const response = await eventually(async () => {
      const one = await client.post(path, body, retry).catch(() => undefined);
      return one && one.status < 500 && one.error?.code !== 'IDEMPOTENCY_IN_PROGRESS' ? one : undefined;
    }, withinMs);
    assert.ok(response.status < 300, `${path} returned ${response.status} ${JSON.stringify(response.body)}`);
    return response.data;
  };
  const read = async (path: string) => {
    const response = await eventually(async () => {
      const one = await client.get(path).catch(() => undefined);
      return one?.status === 200 ? one : undefined;
    }, withinMs);
    return response.data;
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
  const mailsTo = (email: string, subject: string) => sink.to(email).filter((mail) => mail.subject === subject);
  const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).sort();

  const berlin = await write('/v2/segments', {
    name: 'Berlin',
    definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] },
  });
  const clicked = await write('/v2/segments', { name: 'Clicked', definition: { campaign: 'any', activity: 'clicked' } });
  const visited = await write('/v2/segments', { name: 'Visited', definition: { event: 'visited', count: { gte: 1 } } });
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
  const contacts: { id: string; email: string }[] = [];
  for (let index = 0; index < people; index += 1) {
    const email = `p${index}@example.com`;
    contacts.push(await write('/v2/contacts', { email, address: { city: 'Berlin' } }));
    await write('/v2/leadpulse/track', { event: 'visited', visitor_id: `v${index}`, message_id: `m${index}`, email });
  }
  const html = '<p>Hello, <a href="https://example.com/offer">the offer</a></p>';
  const send = async (name: string) => {
    const campaign = await write('/v2/campaigns', { name, subject: name, from, html, audience: { include: ['all'] } });
    await write(`/v2/campaigns/${campaign.id}/send`);
    return campaign.id;
  };
  const first = await send('First');

  await t.test('every accepted contact exists and is in its segment', async () => {
    assert.deepEqual(idsOf(await everything('/v2/contacts')), idsOf(contacts));
    await eventually(async () => (await everything(`/v2/segments/${berlin.id}/contacts`)).length === people, withinMs);
  });

  await t.test('every accepted visit counts once, for its contact', async () => {
    await eventually(async () => (await everything(`/v2/segments/${visited.id}/contacts`)).length === people, withinMs);
    const { totals } = await eventually(async () => {
      const analytics = await read('/v2/leadpulse/analytics');
      return analytics.totals.events >= people && analytics;
    }, withinMs);
    assert.deepEqual([totals.events, totals.visitors], [people, people]);
  });

  await t.test('a click counts once and the contact enters the segment; an unsubscribe takes effect', async () => {
    const receivers = await eventually(async () => {
      const reached = contacts.filter(({ email }) => mailsTo(email, 'First').length > 0);
      return reached.length >= 10 && reached.slice(0, 10);
    }, withinMs);
    const [clickers, leavers] = [receivers.slice(0, 5), receivers.slice(5)];
    const follow = async ({ email }: { email: string }) => {
      moment();
      const link = /href="([^"]*\/t\/[^"]+)"/.exec(mailsTo(email, 'First')[0]?.html ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '';
      await fetch(link, { redirect: 'manual', headers: browser }).catch(() => undefined);
    };
    const clicks = async () => (await read(`/v2/campaigns/${first}/analytics`)).counts.clicked.unique.human;
    // Repeated until each click is late enough after the email to count as human.
    await eventually(async () => {
      await Promise.all(clickers.map(follow));
      return (await clicks()) === clickers.length;
    }, withinMs);
    await eventually(async () => (await everything(`/v2/segments/${clicked.id}/contacts`)).length === clickers.length, withinMs);
    assert.deepEqual(idsOf(await everything(`/v2/segments/${clicked.id}/contacts`)), idsOf(clickers));

    for (const { id, email } of leavers) {
      moment();
      const header = mailsTo(email, 'First')[0]?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
      const url = /<(https?:[^>]+)>/.exec(header)?.[1] ?? '';
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      await eventually(
        () =>
          fetch(url, { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' }).then(
            ({ ok }) => ok,
            () => false,
          ),
        withinMs,
      );
      await eventually(async () => (await read(`/v2/contacts/${id}`)).status === 'unsubscribed', withinMs);
    }
    const second = await send('Second');
    await finished(second);
    for (const { id, email } of leavers) {
      const { recipient } = await read(`/v2/campaigns/${second}/messages/${id}`);
      assert.deepEqual([recipient.state, recipient.reason, mailsTo(email, 'Second').length], ['skipped', 'unsubscribed', 0]);
    }
    await addsUp(second, 'Second');
  });

  await t.test('every contact has one run, which ends', async () => {
    await dying;
    const runs = await eventually(async () => {
      const all = await everything(`/v2/workflows/${workflow.id}/runs`);
      return all.length === people && all.every(({ ended_at }) => ended_at !== null) && all;
    }, withinMs);
    assert.equal(new Set(runs.map(({ contact_id }) => contact_id)).size, people);
    for (const contact of await everything('/v2/contacts')) assert.deepEqual(contact.tags, ['welcomed']);
  });

  await t.test('the ledger adds up, and no contact got a campaign twice', async () => {
    await finished(first);
    await addsUp(first, 'First');
  });

  async function finished(campaignId: string) {
    await eventually(async () => {
      const { reconciliation } = await read(`/v2/campaigns/${campaignId}/ledger?limit=1`);
      assert.ok(reconciliation.audience_count === null || reconciliation.reconciles, JSON.stringify(reconciliation));
      const { states } = reconciliation;
      return reconciliation.audience_count === people && states.queued + states.sending + states.deferred === 0;
    }, withinMs);
  }

  async function addsUp(campaignId: string, subject: string) {
    const rows = await everything(`/v2/campaigns/${campaignId}/ledger`);
    assert.equal(rows.length, people);
    for (const { contact_id, state } of rows) {
      const email = contacts.find(({ id }) => id === contact_id)?.email ?? '';
      const arrived = mailsTo(email, subject).length;
      if (state === 'sent' || state === 'delivered') assert.equal(arrived, 1, `${email} is ${state} and got ${arrived}`);
      else assert.ok(state === 'unknown' ? arrived <= 1 : arrived === 0, `${email} is ${state} and got ${arrived}`);
    }
  }
}
