import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { campaignsOf } from '../src/campaigns/campaigns-store.ts';
import { chances, killableServices } from './killable-services.ts';
import { startNeighbours } from './neighbours.ts';
import { read, reconciliation, routesOnly, sendCampaign, untilStatus } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

const seed = Number(process.env.SEED ?? 20_261_123);
const kills = Number(process.env.KILLS ?? 30);
const people = 400;

test(`the winner is selected while workers are killed ${kills} times with -9 (SEED=${seed}): one winner, and each contact gets one email`, async (t) => {
  const neighbours = await startNeighbours(t);
  const chance = chances(seed);
  const sink = await startSmtpSink(t, { behave: () => ({ slowMs: 4 }) });
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  const contacts = neighbours.contacts(owner.accountId, people);
  const { start, kill } = await killableServices(t, parts, sink.url);
  const variants = [
    { weight: 50, subject: 'Subject A' },
    { weight: 50, subject: 'Subject B' },
  ];
  const ab_test = { variants, sample_percent: 20, metric: 'opens', duration_minutes: 60 };
  const campaigns = campaignsOf(parts.mongo.db);

  let [done, unknown, tests] = [0, 0, 0];
  while (done < kills) {
    tests += 1;
    const id = await sendCampaign(owner, { ab_test });
    const first = await start();
    await eventually(async () => typeof (await read(owner, id)).ab_result?.sample_sent_at === 'string');
    await kill(first);
    const past = new Date(Date.now() - 1_000);
    await campaigns.updateOne({ _id: id }, { $set: { test_at: past, 'ab_result.decides_at': past.toISOString() } });
    for (let round = 0; round < 10 && done < kills; round += 1) {
      const child = await start();
      await sleep(chance() * 400);
      await kill(child);
      done += 1;
      assert.equal((await reconciliation(owner, id)).reconciles, true, 'the sum holds at any time');
    }
    const last = await start();
    await untilStatus(owner, id, 'sent', 300_000);
    await eventually(async () => (await reconciliation(owner, id)).states.sending === 0);
    await kill(last);

    const { winner } = (await read(owner, id)).ab_result;
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([reconciles, states.sent + states.unknown], [true, people]);
    unknown += states.unknown;
    const ours = sink.received.filter(({ raw }) => raw.includes(`${id}:`));
    assert.equal(new Set(ours.map(({ to }) => to)).size, ours.length, 'no contact got two emails');
    assert.ok(ours.length >= states.sent && contacts.length >= ours.length);
    const subjectOfWinner = winner === 'a' ? 'Subject A' : 'Subject B';
    const rows = (await owner.get(`/v2/campaigns/${id}/ledger?limit=100`)).data.items;
    assert.ok(rows.every(({ variant }: { variant: string | null }) => variant !== null));
    assert.ok(ours.filter(({ raw }) => raw.includes(subjectOfWinner)).length > people * 0.7, 'the rest got the winner');
  }
  t.diagnostic(`${tests} tests, ${kills} kills, ${unknown} unknown`);
});
