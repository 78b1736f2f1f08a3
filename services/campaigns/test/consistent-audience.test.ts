import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { account, read, reconciliation, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

test('an audience is frozen once the segments service has everything confirmed before the send', async (t) => {
  const { app, neighbours } = await startSetting(t);
  const { audience } = neighbours;
  const usual = { ...audience };
  t.afterEach(() => {
    Object.assign(audience, usual);
  });

  await t.test('waits while the segments service is behind, and includes contacts that enter until then', async () => {
    const owner = account(app);
    const [early, late] = neighbours.contacts(owner.accountId, 2);
    assert.ok(early && late);
    const segment = neighbours.segment(owner.accountId, [early]);
    const behind = Promise.withResolvers<void>();
    let caughtUp = false;
    audience.caughtUp = () => {
      behind.resolve();
      return caughtUp ? { state: 'caught_up', as_of: '2026-01-02T03:04:05.000Z' } : { state: 'behind', as_of: null };
    };
    const id = await sendCampaign(owner, { audience: { include: [segment] } });
    await behind.promise;
    const waiting = await read(owner, id);
    assert.deepEqual([waiting.status, waiting.frozen_at, waiting.audience_count], ['freezing', null, 0]);
    neighbours.enter(segment, late);
    caughtUp = true;
    const sent = await untilStatus(owner, id, 'sent');
    assert.equal(sent.frozen_at, '2026-01-02T03:04:05.000Z', 'the time that the segments service returned');
    assert.equal((await reconciliation(owner, id)).audience_count, 2);
  });

  await t.test('requests positions once, resumes where it was, and requests them again after a stream was lost', async () => {
    const owner = account(app);
    const segment = neighbours.segment(owner.accountId, neighbours.contacts(owner.accountId, 1));
    const marks: (string | null)[] = [];
    audience.position = async ({ mark }) => {
      marks.push(mark);
      return mark === null ? { position: null, mark: 'place' } : usual.position({ mark });
    };
    const replies = ['behind', 'behind', 'lost', 'behind', 'caught_up'] as const;
    let replied = 0;
    audience.caughtUp = () => {
      const state = replies[replied] ?? 'caught_up';
      replied += 1;
      return { state, as_of: state === 'caught_up' ? new Date().toISOString() : null };
    };
    await untilStatus(owner, await sendCampaign(owner, { audience: { include: [segment] } }), 'sent');
    assert.deepEqual(marks, [null, 'place', null, 'place'], 'once, and again after the stream was lost');
  });

  await t.test('a campaign that has to wait does not delay others', async () => {
    const [waiting, other] = [account(app), account(app)];
    const stuck = neighbours.segment(waiting.accountId, neighbours.contacts(waiting.accountId, 1));
    const open = neighbours.segment(other.accountId, neighbours.contacts(other.accountId, 1));
    let held = true;
    audience.position = async (asking) =>
      held && asking.account_id === waiting.accountId ? { position: null, mark: 'x' } : usual.position(asking);
    const id = await sendCampaign(waiting, { audience: { include: [stuck] } });
    await untilStatus(other, await sendCampaign(other, { audience: { include: [open] } }), 'sent');
    assert.equal((await read(waiting, id)).status, 'freezing');
    held = false;
    await untilStatus(waiting, id, 'sent');
  });

  await t.test('a send rejects a segment that failed to build, naming its path; a draft may include it', async () => {
    const owner = account(app);
    const [good, broken] = [neighbours.segment(owner.accountId, []), neighbours.segment(owner.accountId, [])];
    neighbours.failSegment(broken);
    const created = await owner.post('/v2/campaigns', { ...smallest, audience: { include: [good, broken], exclude: [broken] } });
    assert.equal(created.status, 201, created.text);
    for (const path of ['send', 'dry-run']) {
      const refused = await owner.post(`/v2/campaigns/${created.data.id}/${path}`);
      assert.deepEqual([refused.status, refused.error?.code], [400, 'VALIDATION_ERROR'], refused.text);
      const details = refused.error.details.map(({ path: place, code }: { path: string; code: string }) => [place, code]);
      assert.deepEqual(details, [
        ['/audience/include/1', 'failed_segment'],
        ['/audience/exclude/0', 'failed_segment'],
      ]);
    }
    assert.equal((await read(owner, created.data.id)).status, 'draft');
  });

  await t.test('an audience cannot use an archived segment, even as a draft', async () => {
    const owner = account(app);
    const archived = neighbours.segment(owner.accountId, []);
    neighbours.archiveSegment(archived);
    const { status, error } = await owner.post('/v2/campaigns', { ...smallest, audience: { include: [archived] } });
    assert.deepEqual([status, error.details[0].path, error.details[0].code], [400, '/audience/include/0', 'archived_segment']);
  });

  await t.test('a campaign fails with the reason if its segment fails during the freeze', async () => {
    const owner = account(app);
    const segment = neighbours.segment(owner.accountId, neighbours.contacts(owner.accountId, 1));
    audience.caughtUp = () => {
      neighbours.failSegment(segment);
      return { state: 'behind', as_of: null };
    };
    const waited = await untilStatus(owner, await sendCampaign(owner, { audience: { include: [segment] } }), 'failed');
    assert.match(waited.status_reason, /^\/audience\/include\/0: the segment could not be built/);

    const late = neighbours.segment(owner.accountId, neighbours.contacts(owner.accountId, 1));
    audience.caughtUp = () => {
      neighbours.failSegment(late);
      return { state: 'caught_up', as_of: new Date().toISOString() };
    };
    const frozen = await untilStatus(owner, await sendCampaign(owner, { audience: { include: [late] } }), 'failed');
    assert.match(frozen.status_reason, /could not be built/, 'even if its members can no longer be read');
  });

  await t.test('the audience waits for the projection of contacts: a consent confirmed before the send counts', async () => {
    const owner = account(app);
    const ada = neighbours.contact(owner.accountId, { consent: { email: null, sms: null } });
    await neighbours.publishCreated(owner.accountId, ada);
    const segment = neighbours.segment(owner.accountId, [ada]);
    for (let n = 0; n < 300; n += 1) void neighbours.publishCreated(owner.accountId, neighbours.contact(owner.accountId));
    await neighbours.change(owner.accountId, ada, {
      consent: { email: { status: 'subscribed', at: '2026-01-01T00:00:00.000Z', method: 'api' }, sms: null },
    });
    const id = await sendCampaign(owner, { audience: { include: [segment] } });
    await untilStatus(owner, id, 'sent');
    assert.equal((await reconciliation(owner, id)).states.sent, 1);
  });
});

test('the audience waits while the position of contacts is unavailable', async (t) => {
  const { app, neighbours } = await startSetting(t);
  const owner = account(app);
  neighbours.contacts(owner.accountId, 1);
  let refusals = 0;
  const usual = neighbours.audience.position;
  neighbours.audience.position = async () => {
    refusals += 1;
    throw new Error('NATS has no stream.');
  };
  const id = await sendCampaign(owner);
  await eventually(async () => refusals > 1);
  assert.equal((await read(owner, id)).status, 'freezing');
  neighbours.audience.position = usual;
  await untilStatus(owner, id, 'sent');
});
