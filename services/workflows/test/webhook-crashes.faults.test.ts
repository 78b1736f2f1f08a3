import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ContactCreated } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { killableProcesses } from './killable-processes.ts';
import { config, fakeServices } from './setting.ts';
import { publicId, recorder } from './webhooks.ts';

const kills = Number(process.env.KILLS ?? 10);
const eventCount = 200;
const patienceMs = 120_000;

test(`every event reaches every healthy webhook while processes are killed ${kills} times with SIGKILL, whatever other receivers do`, async (t) => {
  const play = await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, { ...config, WEBHOOK_ALLOW_PRIVATE: true }));
  const account = testClient(app, { permission: 'admin', plan: 'enterprise' });

  const { alive, start, kill } = await killableProcesses(t, parts);

  const create = async (url: string) => (await account.post('/v2/webhooks', { url, events: ['contact.created'] })).data.id;
  const healthy = await Promise.all(Array.from({ length: 4 }, () => recorder(t, (response) => setTimeout(() => response.end(), 20))));
  let isDown = true;
  const recovering = await recorder(t, (response) => (isDown ? response.destroy() : response.end()));
  const hanging = await recorder(t, () => undefined);
  const redirecting = await recorder(t, (response) => response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end());
  const gone = await recorder(t, (response) => response.writeHead(410).end());
  for (const { url } of [...healthy, recovering, hanging, redirecting]) await create(url);
  const goneId = await create(gone.url);

  await Promise.all([start(), start()]);
  const ids = new Set<string>();
  for (let index = 0; index < kills; index += 1) {
    for (let count = 0; count < eventCount / kills; count += 1) {
      const contact = aContact({ id: newId('contact'), email: `c${index}-${count}@example.com` });
      ids.add(publicId(await play.publish(ContactCreated, account.accountId, { contact })));
    }
    await sleep(100 + 37 * index);
    const victim = alive[index % alive.length];
    if (victim) await kill(victim);
    await start();
  }
  isDown = false;

  const missing = ({ received }: (typeof healthy)[number]) => ids.size - new Set(received.map(({ payload }) => payload.id)).size;
  await eventually(async () => healthy.every((one) => missing(one) === 0), patienceMs);
  await eventually(async () => missing(recovering) === 0, patienceMs);
  assert.equal((await account.get(`/v2/webhooks/${goneId}`)).data.disabled_reason, 'gone');
  assert.ok(redirecting.received.length > 0 && hanging.received.length > 0);
});
