import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from '@mp/test-kit/eventually';
import { recorder, webhookService } from './webhooks.ts';

const run = promisify(execFile);
const minute = 60_000;

test('a failed delivery', async (t) => {
  const service = await webhookService(t, { webhookTimeoutMs: 1_000 });
  const deliveriesOf = async (account: ReturnType<typeof service.account>, id: string) =>
    (await account.get(`/v2/webhooks/${id}/deliveries`)).data.items;

  await t.test('is retried on the schedule, with the same id and a new signature', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t, (response) => response.writeHead(received.length < 3 ? 500 : 204).end('sorry'));
    const { secret, id } = await service.create(account, url);
    await service.contactCreated(account);
    for (const [index, pause] of [0, 6_000, 6 * minute].entries()) {
      service.pass(pause);
      await eventually(async () => (await deliveriesOf(account, id))[0]?.attempt_count === index + 1);
    }
    const [delivery] = await deliveriesOf(account, id);
    assert.equal(delivery.status, 'delivered');
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-signature'])).size, 3);
    for (const { headers, body } of received.slice(-1)) assert.ok(headers['webhook-timestamp'] && body && secret);
    const { attempts, payload } = (await account.get(`/v2/webhooks/deliveries/${delivery.id}`)).data;
    assert.deepEqual(
      attempts.map(({ status_code, response }: { status_code: number; response: string }) => [status_code, response]),
      [
        [500, 'sorry'],
        [500, 'sorry'],
        [204, ''],
      ],
    );
    assert.deepEqual(payload, received[0]?.payload);
  });

  await t.test('waits as long as Retry-After says', async (t) => {
    const account = service.account();
    const { url } = await recorder(t, (response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const { id } = await service.create(account, url);
    await service.contactCreated(account);
    const delivery = await eventually(async () =>
      (await deliveriesOf(account, id)).find((one: { attempt_count: number }) => one.attempt_count === 1),
    );
    const waits = Date.parse(delivery.next_attempt_at) - service.clock().getTime();
    assert.ok(waits > 59 * minute && waits < 61 * minute, String(waits));
  });

  await t.test('does not follow redirects', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t, (response) => response.writeHead(302, { location: '/elsewhere' }).end());
    const { id } = await service.create(account, url);
    await service.contactCreated(account);
    const delivery = await eventually(async () =>
      (await deliveriesOf(account, id)).find((one: { attempt_count: number }) => one.attempt_count === 1),
    );
    assert.match(delivery.last_attempt.error, /Redirects are not followed/);
    assert.equal(received.length, 1);
  });

  await t.test('names what is wrong with TLS, and sends nothing', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tls-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
    const [keyFile, certFile] = [join(folder, 'key'), join(folder, 'cert')];
    const expected = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=localhost',
      '-days',
      '1',
    ];
    const made = await run('openssl', [...expected, '-keyout', keyFile, '-out', certFile]).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && assert.fail(error),
    );
    if (!made) return t.skip('openssl is not installed');
    let requests = 0;
    const secure = createServer({ key: await readFile(keyFile), cert: await readFile(certFile) }, (_, response) => {
      requests += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    t.after(() => secure.close());
    const address = secure.address();
    const plain = await recorder(t);
    const account = service.account();
    const wrong: [string, RegExp][] = [
      [`https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`, /self-signed/],
      [plain.url.replace('http:', 'https:'), /TLS handshake failed/],
    ];
    for (const [url, reason] of wrong) {
      const { id } = await service.create(account, url);
      assert.match((await account.post(`/v2/webhooks/${id}/test`)).data.attempts[0].error, reason);
    }
    assert.deepEqual([requests, plain.received.length], [0, 0]);
  });

  await t.test('is retried as soon as a receiver that was down responds again', async (t) => {
    const account = service.account();
    let isDown = true;
    const { received, url } = await recorder(t, (response) => (isDown ? response.destroy() : response.end()));
    const { id } = await service.create(account, url);
    for (let count = 0; count < 12; count += 1) await service.contactCreated(account);
    await eventually(
      async () => (await deliveriesOf(account, id)).filter((one: { attempt_count: number }) => one.attempt_count > 0).length >= 5,
    );
    isDown = false;
    service.pass(2 * minute);
    await eventually(async () => (await deliveriesOf(account, id)).every((one: { status: string }) => one.status === 'delivered'));
    assert.equal(new Set(received.map(({ payload }) => payload.id)).size, 12);
  });
});
