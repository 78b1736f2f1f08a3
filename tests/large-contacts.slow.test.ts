import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { findContacts } from '@mp/contracts/requests/find-contacts';
import { positionsOf, requestPositions } from '@mp/contracts/requests/request-positions';
import { SegmentsCaughtUp } from '@mp/contracts/requests/segments';
import type { Parts } from '@mp/service-kit/service-parts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp as buildCampaigns } from '../services/campaigns/src/app.ts';
import { buildApp as buildContacts } from '../services/contacts/src/app.ts';
import { buildApp as buildSegments } from '../services/segments/src/app.ts';
import { createRebuild } from '../services/segments/src/profiles/rebuild-profiles.ts';

/** 62 KiB: sixteen of them exceed the maximum size of a NATS message. */
const attributes = Object.fromEntries(Array.from({ length: 155 }, (_, index) => [`a${index}`, 'x'.repeat(398)]));
const count = 45;

test('contacts too large for a single reply over NATS', async (t) => {
  const contacts = await testService(t, await testParts(t, 'contacts'), buildContacts, { live: true });
  const segmentsParts = await testParts(t, 'segments');
  const segments = await testService(t, segmentsParts, buildSegments, { live: true });
  const inCampaigns = (parts: Parts) =>
    buildCampaigns(parts, {
      LINK_KEYS: parseKeyring(`test:${Buffer.alloc(32, 3).toString('base64url')}`),
      PUBLIC_URL: 'http://mail.test',
      SMTP_URL: 'smtp://127.0.0.1:1',
      SMTP_CONNECTIONS: 1,
    });
  const campaigns = await testService(t, await testParts(t, 'campaigns'), inCampaigns, { live: true });
  const account = testClient(contacts.app);
  const { accountId } = account;
  const people = Array.from({ length: count }, (_, index) => ({
    email: `l${index}@large.example`,
    external_id: `large-${index}`,
    attributes,
  }));
  const { data } = await account.post('/v2/contacts/batch', { contacts: people });
  const ids: string[] = data.results.map(({ id }: { id: string }) => id);
  // A small merged contact, so that the request also contains a former id.
  const merged = (await account.post('/v2/contacts', { external_id: 'merged' })).data.id;
  await account.post(`/v2/contacts/${ids[0]}/merge`, { source_id: merged });

  await t.test('are all in the frozen audience of a campaign to all contacts', async () => {
    const owner = testClient(campaigns.app, { account_id: accountId });
    const body = { name: 'All', subject: 'Hi', from: { email: 'news@example.com' }, html: '<p>Hi</p>', audience: { include: ['all'] } };
    const { data: campaign } = await owner.post('/v2/campaigns', body);
    assert.equal((await owner.post(`/v2/campaigns/${campaign.id}/send`)).status, 202);
    const frozen = await eventually(async () => {
      const { data: now } = await owner.get(`/v2/campaigns/${campaign.id}`);
      return now.status === 'sending' && now;
    });
    assert.equal(frozen.audience_count, count);
    await owner.post(`/v2/campaigns/${campaign.id}/cancel`);
  });

  await t.test('are all found by id, email and external id, in several requests', async () => {
    const found = new Set<string>();
    let questions = 0;
    await findContacts(
      (type, request) => {
        questions += 1;
        return segmentsParts.broker.request(type, request);
      },
      {
        account_id: accountId,
        ids: [...ids.slice(0, 20), merged, 'contact_unknown'],
        emails: people.slice(15, 30).map(({ email }) => email),
        external_ids: [...people.slice(25).map(({ external_id }) => external_id), 'unknown'],
      },
      (some) => {
        for (const { id } of some) found.add(id);
      },
    );
    assert.deepEqual([...found].sort(), [...ids].sort());
    assert.ok(questions > 1);
  });

  await t.test('are all in the profiles that segments rebuilds', async () => {
    const profiles = segmentsParts.mongo.db.collection('profiles');
    // An event that is applied after the profiles are removed would create one again.
    const { broker } = segmentsParts;
    const positions = await eventually(async () =>
      positionsOf(['contacts'], await requestPositions((type, request) => broker.request(type, request), accountId, ['contacts'])),
    );
    await eventually(async () => {
      const { state } = await broker.request(SegmentsCaughtUp, { account_id: accountId, segment_ids: [], positions });
      return state === 'caught_up';
    });
    await profiles.deleteMany({});
    const rebuilt = await createRebuild({ ...segmentsParts, ...segments.built })();
    assert.deepEqual(rebuilt, { accounts: 1, contacts: count, removed: 0 });
    assert.equal(await profiles.countDocuments({ account_id: accountId }), count);
  });
});
