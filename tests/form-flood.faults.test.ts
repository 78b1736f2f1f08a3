import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const flooded = 10_000;
const robots = 16;
/** Together about as many a second as one process of contacts takes beside its other work. */
const robotPauseMs = 60;
const samples = 400;
/** Below this, the figure is the noise of the machine. */
const noiseMs = 40;

const aForm = (name: string) => ({
  name,
  fields: [{ field: 'email', type: 'email', label: { en: 'Email' }, required: true }],
  consents: [{ key: 'news', channel: 'email', text: { en: 'Yes' } }],
  sender: { email: 'news@example.com' },
});

test('a flood of 10,000 submissions from many networks leaves other accounts at most twice as slow, and their confirmations arrive', async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url, TRUSTED_PROXIES: '127.0.0.1' } });
  const victim = await platform.client('--permission', 'read_write', '--account', 'victim');
  const quiet = await platform.client('--permission', 'read_write', '--account', 'quiet');
  const limits = { submissions_per_hour: 500, confirmations_per_hour: 50 };
  const { data: attacked } = await victim.post('/v2/contacts/forms', { ...aForm('Attacked'), limits });
  const unlimited = { submissions_per_hour: 100_000, confirmations_per_hour: 100_000 };
  const { data: own } = await quiet.post('/v2/contacts/forms', { ...aForm('Own'), limits: unlimited });
  const networkOf = (number: number) => `${11 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}.7`;
  const submit = (url: string, email: string, network: number) =>
    fetch(`${url}/submissions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': networkOf(network) },
      body: JSON.stringify({ fields: { email }, consents: ['news'] }),
    });

  let visitors = 500_000;
  /** How long each thing took that the quiet account and its visitors did, in milliseconds. */
  async function measure(): Promise<number[]> {
    const took: number[] = [];
    const timed = async (work: () => Promise<{ status: number }>) => {
      const began = performance.now();
      assert.equal((await work()).status, 200);
      took.push(performance.now() - began);
    };
    for (let sample = 0; sample < samples; sample += 1) {
      visitors += 1;
      const [network, email] = [visitors, `visitor${visitors}@quiet.example`];
      if (sample % 4 === 0) await timed(() => submit(own.url, email, network));
      else if (sample % 4 === 1) await timed(() => fetch(own.url, { headers: { 'x-forwarded-for': networkOf(network) } }));
      else await timed(() => quiet.get('/v2/contacts?limit=10'));
      await pause(20);
    }
    return took;
  }
  const p99 = (took: readonly number[]) => took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
  // The first requests find nothing prepared, such as connections.
  await measure();
  const alone = p99([...(await measure()), ...(await measure()), ...(await measure())]);

  const statuses = new Map<number, number>();
  let sent = 0;
  const robot = async () => {
    while (sent < flooded) {
      sent += 1;
      const { status } = await submit(attacked.url, `flood${sent}@victim.example`, sent);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await pause(robotPauseMs);
    }
  };
  const flood = Promise.all(Array.from({ length: robots }, robot));
  const during: number[] = [];
  while (sent < flooded) during.push(...(await measure()));
  await flood;
  const beside = p99(during);
  t.diagnostic(`p99 alone ${Math.round(alone)} ms, beside the flood ${Math.round(beside)} ms; ${JSON.stringify([...statuses])}`);
  assert.ok(beside <= 2 * Math.max(alone, noiseMs), `alone ${Math.round(alone)} ms, beside the flood ${Math.round(beside)} ms`);
  assert.equal((statuses.get(200) ?? 0) + (statuses.get(429) ?? 0) + (statuses.get(400) ?? 0), flooded);
  const toVictims = sink.caught.filter(({ to }) => to.endsWith('@victim.example')).length;
  assert.ok(toVictims <= limits.confirmations_per_hour * 2, `${toVictims} confirmation emails`);
  const last = 'last@quiet.example';
  assert.equal((await submit(own.url, last, 999_999)).status, 200);
  while (sink.to(last).length === 0) await pause(50);
  assert.notEqual((await victim.get(`/v2/contacts/forms/${attacked.id}`)).data.flooded_at, null);
});
