import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { account, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

const hostile = '{% for i in (1..100000) %}<ul><li>{% endfor %}';

test('an account with hostile templates does not delay others', async (t) => {
  const { app, neighbours, sink } = await startSetting(t);
  const [first, second] = [account(app), account(app)];
  neighbours.contacts(first.accountId, 4);
  neighbours.contacts(second.accountId, 20, (index) => ({ email: `second${index}@example.com` }));
  const { id } = (await first.post('/v2/campaigns', { ...smallest, html: hostile })).data;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let over = false;
  const previews = (async () => {
    while (!over) {
      const responses = await Promise.all([1, 2, 3].map(() => first.post(`/v2/campaigns/${id}/preview`, {})));
      for (const { status, error } of responses) assert.deepEqual([status, error.details[0].code], [400, 'template_error']);
    }
  })();
  const sent = await sendCampaign(first, { html: hostile });

  const own = (await second.post('/v2/campaigns', smallest)).data;
  delay.enable();
  const times: number[] = [];
  for (let time = 0; time < 100; time += 1) {
    const began = performance.now();
    const preview = await second.post(`/v2/campaigns/${own.id}/preview`, {});
    assert.equal(preview.status, 200);
    times.push(performance.now() - began);
  }
  delay.disable();
  times.sort((a, b) => a - b);
  await untilStatus(second, await sendCampaign(second), 'sent');
  assert.equal(sink.received.filter(({ to }) => to.startsWith('second')).length, 20);
  over = true;
  await previews;
  await untilStatus(first, sent, 'sent');
  const { items } = (await first.get(`/v2/campaigns/${sent}/ledger`)).data;
  assert.deepEqual([...new Set(items.map(({ reason }: { reason: string }) => reason))], ['template_error']);
  t.diagnostic(`previews of the other account: p50 ${times[50]?.toFixed(1)} ms, p99 ${times[98]?.toFixed(1)} ms`);
  t.diagnostic(`the event loop was blocked for at most ${Math.round(delay.max / 1e6)} ms`);
});
