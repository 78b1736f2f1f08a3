import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startPlatform } from './platform.ts';

/** The memory of a container in the chart, and the heap that Node derives from it. */
const maxMemory = 512 * 1024 ** 2;
const heap = '--max-old-space-size=256';
/** Templates and images that are as expensive as they can be. */
const computing = '{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}';
const nested = (levels: number) => `{{ ${'contact.attributes['.repeat(levels)}"x"${']'.repeat(levels)} }}`;
const repeated = (piece: string) => piece.repeat(400_000 / piece.length);
const gif = Buffer.concat([
  Buffer.from('R0lGODlhAwACAIAAAMwAAAAAAA==', 'base64'),
  Buffer.alloc(5_200_000, Buffer.from([0x21, 0xf9, 0])),
  Buffer.from('LAAAAAADAAIAAAIChF8AOw==', 'base64'),
]).toString('base64');

test('the most expensive templates and images of one account', async (t) => {
  const platform = await startPlatform(t, { services: ['contacts', 'gateway'], env: { NODE_OPTIONS: heap } });
  const campaigns = await platform.start('campaigns');
  const hostile = await platform.client('--permission', 'read_write', '--account', 'Hostile');
  const other = await platform.client('--permission', 'read_write', '--account', 'Other');
  const preview = (html: string) => hostile.post('/v2/campaigns/preview', { subject: 'Hi', html });
  const sound = { subject: 'Hi', html: '<p>Hi {{ contact.first_name }}</p>' };
  assert.equal((await other.post('/v2/campaigns/preview', sound)).status, 200);

  await t.test('cost no other account a request, and get a response from the service', async (t) => {
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
    const attack = [
      ...Array.from({ length: 40 }, (_, index) => preview(htmls[index % htmls.length] ?? '')),
      ...Array.from({ length: 8 }, () => hostile.post('/v2/campaigns/images', { name: 'large.gif', content: gif })),
    ];
    let isOver = false;
    const attacked = Promise.all(attack).finally(() => {
      isOver = true;
    });
    const times: number[] = [];
    while (!isOver) {
      for (const request of [() => other.get('/v2/campaigns'), () => other.post('/v2/campaigns/preview', sound)]) {
        const began = performance.now();
        const { status, text } = await request();
        times.push(performance.now() - began);
        assert.equal(status, 200, text);
      }
    }
    times.sort((a, b) => a - b);
    t.diagnostic(
      `${times.length} requests of the other account: median ${times[times.length >> 1]?.toFixed(0)} ms, slowest ${times.at(-1)?.toFixed(0)} ms`,
    );
    const statuses = (await attacked).map(({ status }) => status);
    t.diagnostic(
      `the account itself: ${JSON.stringify(Object.groupBy(statuses, String), (_, value) => (Array.isArray(value) && typeof value[0] === 'number' ? value.length : value))}`,
    );
    assert.ok(
      statuses.every((status) => [200, 201, 400, 429, 503].includes(status)),
      statuses.join(' '),
    );
  });

  await t.test('are not rendered any more once their caller has left', async () => {
    const leaving = new AbortController();
    const left = Array.from({ length: 60 }, () =>
      fetch(`${platform.url}/v2/campaigns/preview`, {
        method: 'POST',
        headers: { authorization: `Bearer ${hostile.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ subject: 'Hi', html: computing }),
        signal: leaving.signal,
      }).catch(() => undefined),
    );
    assert.equal((await other.post('/v2/campaigns/preview', sound)).status, 200);
    leaving.abort();
    await Promise.all(left);
    const { status } = await preview(sound.html);
    assert.equal(status, 200, 'without waiting for half a minute of work that nobody receives');
  });

  await t.test('never take more memory than the container has', async (t) => {
    const [, kib = ''] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${campaigns.pid}/status`, 'utf8')) ?? [];
    t.diagnostic(`campaigns: at most ${Math.round(Number(kib) / 1_024)} MiB`);
    assert.ok(Number(kib) > 0 && Number(kib) * 1_024 < maxMemory, `campaigns used ${kib} KiB`);
  });
});
