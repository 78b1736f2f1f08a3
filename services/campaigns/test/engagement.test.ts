import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageClicked, MessageReclassified } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { createContactablesStore } from '../src/contactables/contactables-store.ts';
import { createSuppressionsStore } from '../src/contactables/suppressions-store.ts';
import { areAllLinks, machineReason } from '../src/engagements/bot-detection.ts';
import { createCountersStore } from '../src/engagements/counters-store.ts';
import { createEngagementsStore, type EngagementDocument } from '../src/engagements/engagements-store.ts';
import { createRecordEngagement } from '../src/engagements/record-engagement.ts';
import { handedAt } from '../src/recipients/handed-at.ts';
import { newRecipient, type RecipientDocument } from '../src/recipients/recipient-row.ts';
import { createRecipientsStore } from '../src/recipients/recipients-store.ts';
import { createSettleDelivered } from '../src/recipients/settle-delivered.ts';

test('engagement', async (t) => {
  const { mongo, outbox, cursors } = await testParts(t, 'campaigns');
  const recipients = createRecipientsStore(mongo.db, cursors);
  const engagements = createEngagementsStore(mongo.db);
  const counters = createCountersStore(mongo);
  const contactables = createContactablesStore(mongo.db);
  const suppressions = createSuppressionsStore(mongo.db);
  for (const store of [recipients, engagements, counters, contactables, suppressions]) await store.prepare();
  const settleDelivered = createSettleDelivered({ recipients, outbox });
  const record = createRecordEngagement({ mongo, outbox, engagements, contactables, suppressions, settleDelivered });
  const browser = 'Mozilla/5.0 (Macintosh) Safari/605.1';
  const sentAt = new Date('2026-05-01T10:00:00Z');

  async function audience(count: number) {
    const source = { account_id: newId('account'), source: 'campaign', source_id: newId('campaign') } as const;
    const rows = Array.from({ length: count }, (): RecipientDocument => {
      const row = newRecipient(
        { ...source, source_key: source.source_id, content_id: source.source_id, contact_id: newId('contact') },
        false,
        sentAt,
      );
      return { ...row, state: 'sent', sent_at: sentAt };
    });
    await mongo.transaction({ correlationId: 't', causationId: null }, (tx) => recipients.insert(tx, rows));
    return { ...source, rows };
  }

  const countAll = async () => {
    while ((await counters.count()) > 0);
  };

  /** The counters, computed from the engagements alone. */
  async function recount(sourceId: string) {
    const all = await mongo.db.collection<EngagementDocument>('engagements').find({ source_id: sourceId }).toArray();
    const of = (kind: string, machine: boolean) => all.filter((one) => one.kind === kind && (one.machine !== null) === machine);
    const people = (some: readonly EngagementDocument[]) => new Set(some.map(({ recipient_id }) => recipient_id)).size;
    return {
      opened_human: of('opened', false).length,
      opened_machine: of('opened', true).length,
      opened_human_unique: people(of('opened', false)),
      opened_machine_unique: people(of('opened', true)),
      clicked_human: of('clicked', false).length,
      clicked_machine: of('clicked', true).length,
      clicked_human_unique: people(of('clicked', false)),
      clicked_machine_unique: people(of('clicked', true)),
      unsubscribed: people(of('unsubscribed', false)),
    };
  }

  const withoutZeros = (counts: object) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

  /** The breakdown, computed from the engagements alone. */
  async function recountBy(sourceId: string, by: 'link' | 'hour') {
    const all = await mongo.db.collection<EngagementDocument>('engagements').find({ source_id: sourceId }).toArray();
    const engaged = all.filter(({ kind, link }) => kind !== 'unsubscribed' && (by === 'hour' || link !== null));
    const groups = Map.groupBy(engaged, ({ at, link }) => (by === 'hour' ? at.toISOString().slice(0, 13) : String(link)));
    const countsOf = (some: readonly EngagementDocument[]) =>
      Object.fromEntries(
        [...Map.groupBy(some, ({ kind, machine }) => `${kind}_${machine === null ? 'human' : 'machine'}`)].flatMap(([name, own]) => [
          [name, own.length],
          [`${name}_unique`, new Set(own.map(({ recipient_id }) => recipient_id)).size],
        ]),
      );
    return Object.fromEntries([...groups].map(([key, some]) => [key, countsOf(some)]));
  }

  await t.test('the counters and breakdowns equal a recount of the engagements, for any concurrent counting', async () => {
    const act = fc.record({
      who: fc.nat(3),
      does: fc.constantFrom('open', 'click', 'unsubscribe', 'count'),
      link: fc.nat(2),
      second: fc.nat(20),
      machine: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
        const { rows, source_id, account_id } = await audience(4);
        await Promise.all(
          acts.map(async ({ who, does, link, second, machine }) => {
            const row = rows[who];
            if (!row) return;
            const seen = {
              requestId: 'r',
              method: 'GET',
              userAgent: machine ? 'Googlebot/2.1' : browser,
              at: new Date(sentAt.getTime() + second * 600_000),
            };
            if (does === 'open') await record.opened(row, seen);
            if (does === 'click') await record.clicked(row, seen, { number: link, url: `https://example.com/${link}`, count: 3 });
            if (does === 'unsubscribe') await record.unsubscribed(row, seen);
            if (does === 'count') await counters.count().catch(() => 0);
          }),
        );
        await countAll();
        assert.deepEqual((await counters.of(account_id, source_id)).counters, await recount(source_id));
        for (const by of ['link', 'hour'] as const) {
          const kept = (await counters.breakdown(account_id, source_id, by)).map(({ key, counts }) => [key, withoutZeros(counts)]);
          assert.deepEqual(Object.fromEntries(kept), await recountBy(source_id, by));
        }
      }),
      { numRuns: 12 },
    );
  });

  await t.test('a client that follows all links within seconds counts as a machine, including its first click', async () => {
    const { rows, source_id, account_id } = await audience(2);
    const [scanner, person] = rows;
    assert.ok(scanner && person);
    const click = (row: RecipientDocument, number: number, seconds: number) =>
      record.clicked(
        row,
        { requestId: 'r', method: 'GET', userAgent: browser, at: new Date(sentAt.getTime() + seconds * 1_000) },
        { number, url: `https://example.com/${number}`, count: 2 },
      );
    await click(scanner, 0, 60);
    await click(scanner, 1, 62);
    await click(person, 0, 60);
    await click(person, 1, 90);
    await countAll();
    const { counters: counted } = await counters.of(account_id, source_id);
    assert.deepEqual(
      [counted.clicked_machine, counted.clicked_human, counted.clicked_human_unique, counted.clicked_machine_unique],
      [2, 2, 1, 1],
    );
    const events = await writtenEvents(mongo.db, { accountId: account_id });
    const of = (subject: string) =>
      events.filter((event) => event.subject === subject && event.envelope.data.contact_id === scanner.contact_id);
    const [first] = of(MessageClicked.subject);
    assert.deepEqual(
      of(MessageReclassified.subject).map(({ envelope: { data } }) => [data.event_id, data.activity, data.machine]),
      [[first?.id, 'clicked', true]],
      'what was published as human is corrected',
    );
  });

  await t.test('repetitions within a second count once', async () => {
    const { rows, source_id, account_id } = await audience(1);
    const [row] = rows;
    assert.ok(row);
    const open = (ms: number) =>
      record.opened(row, { requestId: 'r', method: 'GET', userAgent: browser, at: new Date(sentAt.getTime() + ms) });
    await Promise.all([open(5_000), open(5_100), open(5_999), open(6_000)]);
    await eventually(async () => {
      await countAll();
      const { counters: counted } = await counters.of(account_id, source_id);
      return counted.opened_human === 2 && counted.opened_human_unique === 1;
    });
  });
});

test('detects machines by their requests', () => {
  const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
  const fetch = { method: 'GET', userAgent: browser, handedAt: new Date(0), at: new Date(60_000) };
  assert.equal(machineReason(fetch, 'clicked'), null);
  assert.equal(machineReason({ ...fetch, method: 'HEAD' }, 'opened'), 'head_request');
  assert.equal(machineReason({ ...fetch, at: new Date(1_500) }, 'clicked'), 'too_soon');
  assert.equal(machineReason({ ...fetch, handedAt: null }, 'clicked'), 'too_soon');
  assert.equal(machineReason({ ...fetch, at: new Date(1_500) }, 'opened'), null);
  for (const userAgent of ['Mozilla/5.0', 'curl/8.5.0', 'Barracuda Sentinel (EE)'])
    assert.equal(machineReason({ ...fetch, userAgent }, 'opened'), 'known_program', userAgent);
  for (const userAgent of [
    ...['curl/8.5.0', 'Wget/1.21.4', 'axios/1.7.2', 'Java/17.0.2', 'Apache-HttpClient/4.5.14 (Java/17.0.2)', 'YandexMail/1.0'],
    ...['Mozilla/5.0 (compatible; bingbot/2.0)', 'Barracuda Sentinel (EE)', 'Mozilla/5.0 (Windows NT 10.0) Mimecast'],
  ])
    assert.equal(machineReason({ ...fetch, userAgent }, 'clicked'), 'known_program', userAgent);
  for (const userAgent of [
    'Mozilla/5.0 (Windows NT 5.1) Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'YahooMailProxy; https://help.yahoo.com/kb',
    'Thunderbird/115.0',
  ])
    assert.equal(machineReason({ ...fetch, userAgent }, 'opened'), null, userAgent);
  assert.deepEqual([areAllLinks(new Set([0]), 1), areAllLinks(new Set([0, 1]), 2), areAllLinks(new Set([0, 1]), 3)], [false, true, false]);
});

test('an email counts as readable once the mail server accepted it, or must have if its response is unknown', () => {
  const [accepted, handed] = [new Date(20_000), new Date(10_000)];
  assert.deepEqual(handedAt({ sent_at: accepted, handed_at: handed }), accepted);
  assert.deepEqual(handedAt({ sent_at: null, handed_at: handed }), new Date(40_000), 'the mail server may scan it first');
  assert.equal(handedAt({ sent_at: null }), null);
});
