import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFloods, createWaits } from './floods.ts';
import { startMailSink } from './mail-sink.ts';
import { observe } from './observe.ts';
import { startPlatform } from './platform.ts';

const size = 2_000;
const rounds = 2;

/** It waited for minutes when events took effect in the order of the stream. A busy machine slows everything. */
const limitMs = (alone: number) => 10_000 + 5 * alone;

test("the backlog of one account's flood delays no other account", async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url, WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const { untilSettled, close } = await observe(platform);
  const { kinds, uncounted } = await createFloods(t, platform, { size });
  const waits = await createWaits(platform, sink);
  await untilSettled();

  async function longest() {
    const found = new Map<string, number>();
    for (let round = 0; round < rounds; round += 1)
      for (const [name, wait] of waits) found.set(name, Math.max(found.get(name) ?? 0, await wait()));
    return found;
  }
  // The first ones find nothing prepared, such as connections.
  await longest();
  const alone = await longest();

  for (const [kind, flood] of kinds) {
    await t.test(kind, async (t) => {
      let isOn = true;
      const over = flood(() => isOn);
      const beside = await longest().finally(() => {
        isOn = false;
      });
      await over;
      for (const [name, ms] of beside) {
        const usual = alone.get(name) ?? Number.NaN;
        t.diagnostic(`${name}: alone ${Math.round(usual)} ms, beside ${Math.round(ms)} ms`);
        assert.ok(ms <= limitMs(usual), `${name}: alone ${Math.round(usual)} ms, beside ${Math.round(ms)} ms`);
      }
      // Calls to the receiver that hangs end with their time-outs.
      await untilSettled({ withRuns: kind !== 'hanging webhooks' });
    });
  }
  assert.equal(await uncounted(), 0, 'every event of the floods is counted once');
  await close();
});
