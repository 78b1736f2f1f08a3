import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { MessageClicked, MessageReclassified } from '@mp/contracts/events/campaigns';
import { type AccountId, newId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { createContactablesStore } from '../src/audience/contactables/contactables-store.ts';
import { createSuppressionsStore } from '../src/audience/contactables/suppressions-store.ts';
import { createRecordEngagement } from '../src/engagement/record-engagement.ts';
import { createConversionsStore } from '../src/ledger/conversions/conversions-store.ts';
import { createCountersStore, type PartName } from '../src/ledger/counters/counters-store.ts';
import { breakdownNames } from '../src/ledger/engagements/breakdowns.ts';
import { createEngagementsStore } from '../src/ledger/engagements/engagements-store.ts';
import { createReadProgress } from '../src/ledger/recipients/read-progress.ts';
import { newRecipient, type RecipientDocument, recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { createRecipientsStore } from '../src/ledger/recipients/recipients-store.ts';
import { createSettleDelivered } from '../src/ledger/recipients/settle-delivered.ts';
import { createRecount } from './recount.ts';

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

  const { recount, recountBy } = createRecount(mongo.db);

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
