import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@mp/test-kit/eventually';
import { createFormFlood } from './form-flood.ts';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

test('a flood of 10,000 submissions from many networks fails nothing of other accounts, and only theirs get all confirmations', async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url, TRUSTED_PROXIES: '127.0.0.1' } });
  const { victim, attacked, quiet, limits, submitToQuiet, flood } = await createFormFlood(platform);

  const attack = flood(10_000);
  let sent = 0;
  while (attack.isOn()) {
    sent += 1;
    const statuses = [(await submitToQuiet(`visitor${sent}@quiet.example`)).status, (await quiet.get('/v2/contacts?limit=10')).status];
    assert.deepEqual(statuses, [200, 200]);
    await pause(100);
  }
  const statuses = await attack.over;
  assert.equal((statuses.get(200) ?? 0) + (statuses.get(429) ?? 0) + (statuses.get(400) ?? 0), 10_000);
  const toVictims = sink.caught.filter(({ to }) => to.endsWith('@victim.example')).length;
  assert.ok(toVictims <= limits.confirmations_per_hour * 2, `${toVictims} confirmation emails`);
  for (let one = 1; one <= sent; one += 1) await eventually(async () => sink.to(`visitor${one}@quiet.example`).length > 0);
  assert.notEqual((await victim.get(`/v2/contacts/forms/${attacked.id}`)).data.flooded_at, null);
});
