import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { chances, killableServices } from './killable-services.ts';
import { startNeighbours } from './neighbours.ts';
import { reconciliation, routesOnly, sendCampaign, untilStatus } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

const seed = Number(process.env.SEED ?? 20_261_127);
const kills = Number(process.env.KILLS ?? 15);
const people = 600;

type Row = { address: string | null; status: string; coupon_code: string | null };

test(`workers killed ${kills} times with -9 (SEED=${seed}): no contact gets two codes, and no code two contacts`, async (t) => {
  const neighbours = await startNeighbours(t);
  const chance = chances(seed);
  const sink = await startSmtpSink(t, {
    behave: (address) => (Number(/\d+/.exec(address)?.[0]) % 20 === 13 ? { drop: 'in_data', kept: chance() < 0.5 } : { slowMs: 4 }),
  });
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  neighbours.contacts(owner.accountId, people);
  await owner.post('/v2/campaigns/coupons', { name: 'spring', generate: { count: 10_000 } });
  const { start, kill } = await killableServices(t, parts, sink.url);
  const campaigns: string[] = [];
  for (let done = 0; done < kills; done += 1) {
    if (done % 5 === 0) campaigns.push(await sendCampaign(owner, { html: '<p>Your code: {{ coupon.spring }}.</p>' }));
    // Two workers, so that one prepares what the other had claimed.
    const workers = [await start(), await start()];
    const [began, mailed, after, atMost] = [Date.now(), sink.received.length, chance() * 90, chance() * 2_000];
    while (sink.received.length < mailed + after && Date.now() < began + atMost) await sleep(2);
    await Promise.all(workers.map(kill));
  }
  await start();
  for (const id of campaigns) {
    await untilStatus(owner, id, 'sent', 300_000);
    await eventually(async () => (await reconciliation(owner, id)).states.sending === 0);
    assert.equal((await owner.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'resend' })).status, 200);
    await untilStatus(owner, id, 'sent', 300_000);
  }

  const codes: string[] = [];
  for (const id of campaigns) {
    const rows: Row[] = [];
    for (let cursor = ''; ; ) {
      const { items, pagination } = (await owner.get(`/v2/campaigns/${id}/ledger?limit=100${cursor && `&cursor=${cursor}`}`)).data;
      rows.push(...items);
      if (pagination.next_cursor === null) break;
      cursor = pagination.next_cursor;
    }
    const codeOf = new Map(rows.map(({ address, coupon_code }) => [address, coupon_code]));
    assert.equal(rows.length, people);
    assert.ok(rows.every(({ coupon_code }) => coupon_code !== null));
    codes.push(...rows.flatMap(({ coupon_code }) => coupon_code ?? []));
    for (const { to, raw } of sink.received.filter(({ raw }) => raw.includes(`${id}:`)))
      assert.equal(/Your code: (\w+)\./.exec(raw.toString())?.[1], codeOf.get(to), `${to} got the code of the ledger`);
  }
  assert.equal(new Set(codes).size, campaigns.length * people);
  const [coupon] = (await owner.get('/v2/campaigns/coupons')).data.items;
  assert.equal(coupon.codes_left, 10_000 - codes.length, 'no code is lost');
});
