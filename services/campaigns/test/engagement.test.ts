import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { MessageClicked, MessageReclassified } from '@mp/contracts/events/campaigns';
import { type AccountId, newId, type RecipientId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { createContactablesStore } from '../src/audience/contactables/contactables-store.ts';
import { createSuppressionsStore } from '../src/audience/contactables/suppressions-store.ts';
import { areAllLinks, machineReason } from '../src/engagement/bot-detection.ts';
import { createRecordEngagement } from '../src/engagement/record-engagement.ts';
import { createConversionsStore } from '../src/ledger/conversions/conversions-store.ts';
import { createCountersStore, type PartName } from '../src/ledger/counters/counters-store.ts';
import { breakdownNames } from '../src/ledger/engagements/breakdowns.ts';
import { createEngagementsStore, type EngagementDocument } from '../src/ledger/engagements/engagements-store.ts';
import { earliestDelivery } from '../src/ledger/recipients/earliest-delivery.ts';
import { createReadProgress } from '../src/ledger/recipients/read-progress.ts';
import { newRecipient, type RecipientDocument, recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { createRecipientsStore } from '../src/ledger/recipients/recipients-store.ts';
import { createSettleDelivered } from '../src/ledger/recipients/settle-delivered.ts';

test('engagement', async (t) => {
  const { mongo, outbox, cursors } = await testParts(t, 'campaigns');
  const recipients = createRecipientsStore(mongo.db, cursors);
  const engagements = createEngagementsStore(mongo.db);
  const counters = createCountersStore(mongo);
  const readProgress = createReadProgress({ counters, recipients });
  const conversions = createConversionsStore(mongo.db);
  const contactables = createContactablesStore(mongo.db);
  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>) => mongo.transaction({ correlationId: 't', causationId: null }, work);
  /** Retries as callers do when many change the same row at once. */
  const patiently = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE')) throw error;
      await patiently(work);
    }
  };
  const suppressions = createSuppressionsStore(mongo.db);
  for (const store of [recipients, engagements, conversions, counters, contactables, suppressions]) await store.prepare();
  const settleDelivered = createSettleDelivered({ recipients, outbox });
  const record = createRecordEngagement({ mongo, outbox, engagements, contactables, suppressions, settleDelivered });
  const browser = 'Mozilla/5.0 (Macintosh) Safari/605.1';
  const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1';
  const sentAt = new Date('2026-05-01T10:00:00Z');

  const templateId = newId('template');
  const domains = ['one.example', 'two.example'];

  /** Sent rows with variants and domains in turn, some scheduled, of a campaign with a hold-out group. */
  async function audience(count: number) {
    const source = { account_id: newId('account'), source: 'campaign', source_id: newId('campaign') } as const;
    const rows = Array.from({ length: count }, (_, index): RecipientDocument => {
      const row = newRecipient(
        { ...source, source_key: source.source_id, content_id: source.source_id, contact_id: newId('contact') },
        false,
        sentAt,
      );
      const address = `p${index}@${domains[index % 2]}`;
      const part = index % 2 === 0 ? { step: 'hello' } : { step: 'later', template: { id: templateId, version: 1 } };
      const schedule = index % 2 === 0 && { scheduled_for: new Date(sentAt.getTime() - index * 200_000) };
      const group = { compared: true as const, ...(index === 1 && { held_out_at: sentAt }) };
      return {
        ...row,
        ...part,
        ...schedule,
        ...group,
        address,
        variant: index % 3 === 0 ? 'a' : 'b',
        state: 'sent',
        sent_at: sentAt,
        tally_changed: true,
      };
    });
    await mongo.transaction({ correlationId: 't', causationId: null }, (tx) => recipients.insert(tx, rows));
    return { ...source, rows };
  }

  const countAll = async () => {
    while ((await counters.count()) > 0);
  };

  const read = (accountId: AccountId, sourceId: string, by?: PartName) =>
    mongo.transaction({ correlationId: 't', causationId: null }, (tx) => counters.read(tx, accountId, sourceId, by));

  const withoutZeros = (counts: Record<string, number>) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

  const rowsOf = (sourceId: string) => recipientsOf(mongo.db).find({ source_id: sourceId }).toArray();
  const engagementsOf = (sourceId: string) =>
    mongo.db.collection<EngagementDocument>('engagements').find({ source_id: sourceId }).toArray();
  const people = (some: readonly EngagementDocument[]) => new Set(some.map(({ recipient_id }) => recipient_id)).size;

  type StoredConversion = { _id: string; source_id: string; recipient_id: RecipientId; value: { amount: number } | null };
  const conversionsOf = (sourceId: string) => mongo.db.collection<StoredConversion>('conversions').find({ source_id: sourceId }).toArray();
  /** What is compared between the groups is stored for each row. */
  const isOutcome = (id: string) => id.split(' ').length === 3;
  const sumOf = (some: readonly StoredConversion[]) => ({
    conversions: some.length,
    converted: new Set(some.map(({ recipient_id }) => recipient_id)).size,
    revenue_EUR: some.reduce((sum, { value }) => sum + Math.round((value?.amount ?? 0) * 10_000), 0),
  });

  /** The counters of these rows, computed from the rows' states and the engagements alone. */
  async function recount(sourceId: string, isOf: (row: RecipientDocument) => boolean = () => true) {
    const rows = (await rowsOf(sourceId)).filter(isOf);
    const ids = new Set(rows.map(({ _id }) => _id));
    const all = (await engagementsOf(sourceId)).filter(({ recipient_id }) => ids.has(recipient_id));
    const converted = await conversionsOf(sourceId);
    const own = converted.filter(({ _id, recipient_id }) => ids.has(recipient_id) && !isOutcome(_id));
    const scheduled = rows.flatMap(({ sent_at, scheduled_for }) =>
      sent_at && scheduled_for ? [(sent_at.getTime() - scheduled_for.getTime()) / 1_000] : [],
    );
    const of = (kind: string, machine: boolean) => all.filter((one) => one.kind === kind && (one.machine !== null) === machine);
    const kinds = ['opened', 'clicked'].flatMap((kind) => [
      [`${kind}_human`, of(kind, false).length],
      [`${kind}_machine`, of(kind, true).length],
      [`${kind}_human_unique`, people(of(kind, false))],
      [`${kind}_machine_unique`, people(of(kind, true))],
    ]);
    return withoutZeros({
      ...Object.fromEntries(kinds),
      unsubscribed: people(of('unsubscribed', false)),
      ...sumOf(own),
      scheduled: scheduled.length,
      late: scheduled.filter((seconds) => seconds > 300).length,
      lateness: scheduled.reduce((sum, seconds) => sum + seconds, 0),
      ...Object.fromEntries([...Map.groupBy(rows, ({ state }) => state)].map(([state, some]) => [state, some.length])),
    });
  }

  /** The breakdown, computed from the rows and the engagements alone. */
  async function recountBy(sourceId: string, by: PartName): Promise<Record<string, Record<string, number>>> {
    if (by === 'variant' || by === 'domain' || by === 'step' || by === 'template') {
      const keyOf = ({ variant, address, step, template }: RecipientDocument) =>
        ({ variant, domain: address?.split('@')[1], step, template: template?.id })[by] ?? '';
      const keys = Map.groupBy(await rowsOf(sourceId), keyOf);
      keys.delete('');
      const counted = [...keys].map(
        async ([key, rows]) => [key, { ...(await recount(sourceId, (row) => keyOf(row) === key)), recipients: rows.length }] as const,
      );
      return Object.fromEntries(await Promise.all(counted));
    }
    if (by === 'group') {
      const outcomes = (await conversionsOf(sourceId)).filter(({ _id }) => isOutcome(_id));
      const keys = Map.groupBy(await rowsOf(sourceId), ({ held_out_at }) => (held_out_at ? 'held_out' : 'emailed'));
      const of = (rows: readonly RecipientDocument[]) =>
        outcomes.filter(({ recipient_id }) => rows.some(({ _id }) => _id === recipient_id));
      return Object.fromEntries([...keys].map(([key, rows]) => [key, withoutZeros({ recipients: rows.length, ...sumOf(of(rows)) })]));
    }
    const variants = new Map((await rowsOf(sourceId)).map(({ _id, variant }) => [_id, variant]));
    const engaged = (await engagementsOf(sourceId)).filter(({ kind, link }) => kind !== 'unsubscribed' && (by !== 'link' || link !== null));
    const groups = Map.groupBy(engaged, ({ at, link, device = '', recipient_id }) =>
      by === 'hour' ? at.toISOString().slice(0, 13) : by === 'device' ? device : `${variants.get(recipient_id)}-${link}`,
    );
    const countsOf = (some: readonly EngagementDocument[]) =>
      Object.fromEntries(
        [...Map.groupBy(some, ({ kind, machine }) => `${kind}_${machine === null ? 'human' : 'machine'}`)].flatMap(([name, own]) => [
          [name, own.length],
          [`${name}_unique`, people(own)],
        ]),
      );
    return Object.fromEntries([...groups].map(([key, some]) => [key, countsOf(some)]));
  }

  await t.test('the counters and breakdowns equal a recount of the engagements, for any concurrent counting', async () => {
    const act = fc.record({
      who: fc.nat(3),
      does: fc.constantFrom('open', 'click', 'unsubscribe', 'bounce', 'complain', 'convert', 'count'),
      link: fc.nat(2),
      second: fc.nat(20),
      machine: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 20 }), async (acts) => {
        const { rows, source_id, account_id } = await audience(4);
        await Promise.all(
          acts.map(async ({ who, does, link, second, machine }) => {
            const row = rows[who];
            if (!row) return;
            const seen = {
              requestId: 'r',
              method: 'GET',
              userAgent: machine ? 'Googlebot/2.1' : link === 1 ? phone : browser,
              at: new Date(sentAt.getTime() + second * 600_000),
            };
            if (does === 'open') await patiently(() => record.opened(row, seen));
            if (does === 'click')
              await patiently(() => record.clicked(row, seen, { number: link, url: `https://example.com/${link}`, count: 3 }));
            if (does === 'unsubscribe') await patiently(() => record.unsubscribed(row, seen));
            const settle = (state: 'bounced' | 'complained') =>
              inTransaction(async (tx) => {
                const now = await recipients.findById(account_id, row._id, tx);
                if (now) await recipients.settleByFeedback(tx, now, { state, reason: null, detail: null, at: seen.at });
              });
            if (does === 'bounce') await patiently(() => settle('bounced'));
            if (does === 'complain') await patiently(() => settle('complained'));
            const value = machine ? null : { amount: second + 0.5, currency: 'EUR' };
            if (does === 'convert') {
              const bought = { id: newId('event'), event: 'bought', value, at: seen.at };
              await patiently(() => inTransaction((tx) => conversions.add(tx, row, bought)));
              await patiently(() => inTransaction((tx) => conversions.compare(tx, row, bought)));
            }
            if (does === 'count') await counters.count().catch(() => 0);
          }),
        );
        // Rows that are not counted yet are part of the report.
        assert.deepEqual((await read(account_id, source_id)).counts, await recount(source_id));
        await countAll();
        assert.deepEqual((await read(account_id, source_id)).counts, await recount(source_id));
        const id = source_id;
        assert.deepEqual(
          await inTransaction((tx) => readProgress(tx, account_id, { id, audience_count: rows.length })),
          await recipients.countStates(account_id, id),
        );
        for (const by of [...breakdownNames, 'step', 'template', 'group'] as const) {
          const { breakdown } = await read(account_id, source_id, by);
          assert.deepEqual(Object.fromEntries(breakdown.map(({ key, counts }) => [key, counts])), await recountBy(source_id, by));
        }
      }),
      { numRuns: 8 },
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
    const { counts: counted } = await read(account_id, source_id);
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
      const { counts: counted } = await read(account_id, source_id);
      return counted.opened_human === 2 && counted.opened_human_unique === 1;
    });
  });

  const readTemplate = (accountId: AccountId) => inTransaction((tx) => counters.readTemplate(tx, accountId, templateId, []));

  await t.test('the counters of a template include nothing of an email that was counted without it', async () => {
    const { rows, source_id, account_id } = await audience(2);
    await countAll();
    assert.equal((await readTemplate(account_id)).counts.sent, 1);
    // As an earlier release counted it.
    await recipientsOf(mongo.db).updateMany({ source_id }, { $unset: { 'counted.template': '' } });
    await mongo.db.collection('breakdowns').deleteMany({ source_id, by: 'template' });
    for (const row of rows) await record.opened(row, { requestId: 'r', method: 'GET', userAgent: browser, at: new Date() });
    assert.deepEqual((await readTemplate(account_id)).counts, {});
    await countAll();
    assert.deepEqual((await readTemplate(account_id)).counts, {});
  });

  await t.test('the counters of a template are complete as of no time until some of its emails are counted', async () => {
    const { account_id } = await audience(1_001);
    assert.deepEqual(await readTemplate(account_id), { counts: {}, asOf: new Date(0) });
    await countAll();
    const { counts, asOf } = await readTemplate(account_id);
    assert.deepEqual([counts.sent, asOf > new Date(0)], [500, true]);
  });
});

test('detects automated requests', () => {
  const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
  const fetch = { method: 'GET', userAgent: browser, deliveredFrom: new Date(0), at: new Date(60_000) };
  assert.equal(machineReason(fetch, 'clicked'), null);
  assert.equal(machineReason({ ...fetch, method: 'HEAD' }, 'opened'), 'head_request');
  assert.equal(machineReason({ ...fetch, at: new Date(1_500) }, 'clicked'), 'too_soon');
  assert.equal(machineReason({ ...fetch, deliveredFrom: null }, 'clicked'), 'too_soon');
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
  assert.deepEqual(earliestDelivery({ sent_at: accepted, handed_at: handed }), accepted);
  assert.deepEqual(earliestDelivery({ sent_at: null, handed_at: handed }), new Date(40_000), 'the mail server may scan it first');
  assert.equal(earliestDelivery({ sent_at: null }), null);
});
