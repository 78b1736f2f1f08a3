import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { hostileImages } from '../services/campaigns/test/hostile-images.ts';
import { containerEnv, containerFlags, containerMemory } from './deploy/container-node.ts';
import { startPlatform } from './platform.ts';

/** Templates that are as expensive as they can be. */
const computing = '{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}';
const nested = (levels: number) => `{{ ${'contact.attributes['.repeat(levels)}"x"${']'.repeat(levels)} }}`;
const repeated = (piece: string) => piece.repeat(400_000 / piece.length);
const htmls = [
  nested(2_000),
  nested(19_000),
  repeated(nested(40)),
  repeated('{{ contact.tags }}'),
  `{{ contact${repeated('.b').slice(20)} }}`,
  `{% if ${repeated('contact.email and ').slice(100)} contact.email %}{% endif %}`,
  computing,
  repeated('<b>'),
];
const uploads = hostileImages.map((file) => JSON.stringify({ name: 'large', content: file.toString('base64') }));

test('the most expensive templates and images of one account', async (t) => {
  const platform = await startPlatform(t, { services: ['contacts', 'gateway'], nodeFlags: containerFlags, env: containerEnv });
  const campaigns = await platform.start('campaigns');
  const hostile = await platform.client('--permission', 'read_write', '--account', 'Hostile');
  const other = await platform.client('--permission', 'read_write', '--account', 'Other');
  const preview = (html: string) => hostile.post('/v2/campaigns/preview', { subject: 'Hi', html });
  const upload = (index: number) => hostile.call('POST', '/v2/campaigns/images', uploads[index]);
  /** The most memory that campaigns has used, in MiB. */
  const peak = async () => {
    const [, kib] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${campaigns.pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib) / 1_024);
  };
  const sound = { subject: 'Hi', html: '<p>Hi {{ contact.first_name }}</p>' };
  assert.equal((await other.post('/v2/campaigns/preview', sound)).status, 200);
  /** How long the gateway took for each request of an account, because this process is busy with sending the attack. */
  const timesOf = async ({ get }: typeof other) => {
    const { account } = (await get('/v2/me')).data;
    const lines = (await platform.log('gateway')).split('\n').filter((line) => line.includes(account.id) && line.includes('"ms":'));
    return lines.map((line): number => JSON.parse(line).ms);
  };
  const countOf = (statuses: readonly number[]) =>
    JSON.stringify(Object.fromEntries([...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length])));

  t.diagnostic(`campaigns: ${await peak()} MiB`);

  await t.test('cost no other account a request or more than a moment, and get a response from the service', async (t) => {
    const previews = Promise.all(Array.from({ length: 40 }, (_, index) => preview(htmls[index % htmls.length] ?? '')));
    const flood = Promise.all(Array.from({ length: 60 }, (_, index) => upload(index % uploads.length)));
    let isOver = false;
    const attacked = Promise.all([previews, flood]).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const request of [() => other.get('/v2/campaigns'), () => other.post('/v2/campaigns/preview', sound)]) {
        const { status, text } = await request();
        assert.equal(status, 200, text);
      }
    }
    const [ofPreviews, ofImages] = (await attacked).map((responses) => responses.map(({ status }) => status));
    const times = (await timesOf(other)).toSorted((a, b) => a - b);
    const [median = Number.POSITIVE_INFINITY, slowest = 0] = [times[times.length >> 1], times.at(-1)];
    t.diagnostic(`${times.length} requests of the other account: median ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`);
    t.diagnostic(`the account itself: previews ${countOf(ofPreviews ?? [])}, images ${countOf(ofImages ?? [])}`);
    assert.ok(ofPreviews?.every((status) => [200, 400, 429, 503].includes(status)));
    assert.ok(ofImages?.every((status) => [201, 429, 503].includes(status)));
    // How long the slowest takes depends on what else runs on the machine; one that waits for ten seconds is a 503.
    assert.ok(median < 500, 'the other account is served quickly');
    t.diagnostic(`campaigns: at most ${await peak()} MiB`);
  });

  await t.test('leave no image out that is uploaded again', async () => {
    await Promise.all(uploads.map((_, index) => eventually(async () => (await upload(index)).status === 201)));
  });

  await t.test('are not rendered any more once their caller has left', async () => {
    const leaving = new AbortController();
    const full = Promise.withResolvers<void>();
    const left = Array.from({ length: 150 }, async () => {
      const response = await fetch(`${platform.url}/v2/campaigns/preview`, {
        method: 'POST',
        headers: { authorization: `Bearer ${hostile.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ subject: 'Hi', html: computing }),
        signal: leaving.signal,
      });
      if (response.status === 429) full.resolve();
    });
    void Promise.allSettled(left).then(() => full.reject(new Error('The queue was never full.')));
    await full.promise;
    leaving.abort();
    await eventually(async () => (await platform.log('campaigns')).split('The caller has left.').length > 10);
    await eventually(async () => (await preview(sound.html)).status === 200);
  });

  await t.test('never take more memory than the container has', async (t) => {
    t.diagnostic(`campaigns: at most ${await peak()} MiB`);
    assert.ok((await peak()) < containerMemory);
    assert.equal(campaigns.exitCode, null);
  });
});
