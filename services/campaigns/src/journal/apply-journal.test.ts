import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignEffectCompleted } from '@mp/contracts/events/campaigns';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import type { JournalEntry, JournalOf } from '@mp/contracts/journal';
import { type AccountId, newId, trustedId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { startNeighbours } from '../../test/neighbours.ts';
import {
  account,
  linkKeys,
  quickTimings,
  read,
  reconciliation,
  routesOnly,
  sendCampaign,
  smallest,
  untilStatus,
} from '../../test/setting.ts';
import { startSmtpSink } from '../../test/smtp-sink.ts';
import { signLink } from '../content/links/link-token.ts';
import { noContact } from '../ledger/recipients/recipient-row.ts';

test('the journal of a restored backup', async (t) => {
  const [neighbours, sink] = [await startNeighbours(t), await startSmtpSink(t)];
  const parts = await testParts(t, 'campaigns');
  const service = await testService(t, parts, routesOnly({ SMTP_URL: sink.url, timings: quickTimings }), { live: true });
  const events = await listenToEvents(t);
  const apply = async (...entries: JournalEntry[]) =>
    service.applyJournal?.(
      (async function* () {
        yield* entries;
      })(),
    );
  const left = (account_id: AccountId, change: Partial<JournalOf<'message'>>): JournalOf<'message'> => ({
    ...{ kind: 'message', account_id, at: new Date().toISOString(), state: 'sent', recipient_id: newId('recipient') },
    ...{ contact_id: noContact, campaign_id: null, workflow_id: null, ...change },
  });

  await t.test('marks waiting messages to addresses without a contact as unknown, so that none is sent twice', async () => {
    const owner = account(service.app);
    sink.behave((address) => (address === 'nobody@restored.example' ? { rcpt: 450 } : 'take'));
    const message = { from: smallest.from, to: { email: 'nobody@restored.example' }, content: { subject: 'Hi', text: 'Hi' } };
    const { data } = await owner.post('/v2/campaigns/messages', message);
    const state = async () => (await owner.get(`/v2/campaigns/messages/${data.id}`)).data;
    const marked = await eventually(async () => {
      if ((await state()).state === 'deferred') await apply();
      const now = await state();
      return now.state === 'unknown' && now;
    });
    assert.equal(marked.reason, 'restored');
    sink.behave(() => 'take');
  });

  await t.test(
    'adds recipients to a campaign that is a draft in the backup, so that sending it again reaches only the others',
    async () => {
      const owner = account(service.app);
      const [first, second] = ['a', 'b'].map((name) => neighbours.contact(owner.accountId, { email: `${name}@draft.example` }));
      const { data: campaign } = await owner.post('/v2/campaigns', smallest);
      const entry = left(owner.accountId, { campaign_id: campaign.id, contact_id: first?.id ?? noContact });
      assert.deepEqual(await apply(entry, left(owner.accountId, { campaign_id: newId('campaign'), contact_id: first?.id ?? noContact })), {
        settled: 0,
        added: 1,
      });
      assert.deepEqual(await apply(entry), { settled: 0, added: 0 });
      await owner.post(`/v2/campaigns/${campaign.id}/send`);
      await untilStatus(owner, campaign.id, 'sent');
      assert.equal(sink.to('a@draft.example').length, 0);
      assert.equal(sink.to('b@draft.example').length, 1);
      const { states, audience_count, reconciles } = await reconciliation(owner, campaign.id);
      assert.deepEqual([states.sent, audience_count, reconciles], [2, 2, true]);
      const { recipient } = (await owner.get(`/v2/campaigns/${campaign.id}/messages/${first?.id}`)).data;
      assert.deepEqual([recipient.id, recipient.sent_at], [entry.recipient_id, entry.at], 'links in that email lead to this row');
      assert.ok(second);
    },
  );

  await t.test('settles rows that are waiting or unknown in the backup', async () => {
    const owner = account(service.app);
    const names = ['waits', 'unknown', 'refused', 'other'];
    const contacts = new Map(names.map((name) => [name, neighbours.contact(owner.accountId, { email: `${name}@rows.example` })]));
    // The mail server defers all of them, so that they wait.
    sink.behave(() => ({ rcpt: 451 }));
    const id = await sendCampaign(owner);
    const rows = parts.mongo.db.collection<{ contact_id: string; source_id: string }>('recipients');
    const rowOf = async (name: string) => {
      const row = await rows.findOne({ source_id: id, contact_id: contacts.get(name)?.id ?? noContact });
      assert.ok(row);
      return trustedId<'recipient'>(String(row._id));
    };
    await untilStatus(owner, id, 'sending');
    await owner.post(`/v2/campaigns/${id}/pause`);
    await rows.updateOne({ source_id: id, contact_id: contacts.get('unknown')?.id ?? '' }, { $set: { state: 'unknown' } });
    const entries = await Promise.all(
      (['waits', 'unknown', 'refused'] as const).map(async (name) =>
        left(owner.accountId, {
          ...{ campaign_id: id, contact_id: contacts.get(name)?.id ?? noContact, recipient_id: await rowOf(name) },
          state: name === 'refused' ? 'bounced' : 'sent',
        }),
      ),
    );
    // Another entry with the same contact and campaign is the same email.
    entries.push({ ...left(owner.accountId, { ...entries[0] }), recipient_id: newId('recipient') });
    assert.deepEqual(await apply(...entries), { settled: 3, added: 0 });
    sink.behave(() => 'take');
    await owner.post(`/v2/campaigns/${id}/resume`);
    await untilStatus(owner, id, 'sent');
    assert.deepEqual(
      names.map((name) => sink.to(`${name}@rows.example`).length),
      [0, 0, 0, 1],
    );
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([states.sent, states.bounced, reconciles], [3, 1, true]);
    assert.equal((await read(owner, id)).audience_count, 4);
  });

  await t.test("adds a workflow's email under its effect key, and completes the run that waits for it", async () => {
    const { accountId } = account(service.app);
    const contact = neighbours.contact(accountId, { email: 'flow@rows.example' });
    const effect_key = `${newId('run')}:4`;
    const entry = left(accountId, { workflow_id: newId('workflow'), contact_id: contact.id, effect_key });
    assert.deepEqual(await apply(entry), { settled: 0, added: 1 });
    const { data } = await events.next(CampaignEffectCompleted, (event) => event.data.effect_key === effect_key);
    assert.deepEqual([data.status, data.run_id, data.recipient_id], ['done', effect_key.split(':')[0], entry.recipient_id]);

    const requested = {
      ...{ effect_key, run_id: effect_key.split(':')[0] ?? '', workflow_id: entry.workflow_id ?? '', contact_id: contact.id },
      message: {
        ...{ subject: 'Hi', preview_text: null, from: { email: 'news@example.com', name: null }, reply_to: null, text: null },
        ...{ html: '<a href="https://example.com/">1</a>', track: { opens: true, clicks: true } },
      },
    };
    const token = signLink(linkKeys, { purpose: 'click', accountId, recipientId: entry.recipient_id, number: 0 });
    const follow = () => service.app.inject({ method: 'GET', url: `/t/${token}` });
    assert.equal((await follow()).statusCode, 404, 'the content is not known yet');
    await neighbours.publish(SendEffectRequested, accountId, requested);
    await eventually(async () => (await follow()).headers.location === 'https://example.com/');
    assert.equal(sink.to('flow@rows.example').length, 0);
  });
});
