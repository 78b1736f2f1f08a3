import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type Received, recorder, webhookService } from './webhooks.ts';

/** `EVENTS=10000 npm run test:faults -- webhook-fairness` sends half a million deliveries. */
const eventCount = Number(process.env.EVENTS ?? 200);
const endpoints = 50;
const hangingCount = 5;
const patienceMs = 60_000 + eventCount * endpoints * 20;

test(`of ${endpoints} receivers ${hangingCount} hang: every event arrives at every other one, as fast as without them`, async (t) => {
  const service = await webhookService(t, { webhookTimeoutMs: 600_000 });
  const { clock } = service;

  /** Delays from the event to its arrival, of the receivers that work, and the requests to those that hang. */
  async function deliver(hangs: boolean) {
    const account = service.account();
    const delays: number[] = [];
    const note = ({ payload }: Received) => delays.push(clock().getTime() - Date.parse(payload.timestamp));
    const hanging = await Promise.all(
      Array.from({ length: hangingCount }, () => recorder(t, (response) => (hangs ? undefined : response.end()))),
    );
    const healthy = await Promise.all(
      Array.from({ length: endpoints - hangingCount }, () =>
        recorder(t, (response, received) => {
          note(received);
          response.end();
        }),
      ),
    );
    for (const { url } of [...hanging, ...healthy]) await service.create(account, url, { events: ['contact.created'] });
    for (let count = 0; count < eventCount; count += 1) await service.contactCreated(account);
    const distinct = ({ received }: (typeof healthy)[number]) => new Set(received.map(({ payload }) => payload.id)).size;
    await eventually(async () => healthy.every((one) => distinct(one) === eventCount), patienceMs);
    delays.sort((a, b) => a - b);
    return { p99: delays[Math.floor(delays.length * 0.99)] ?? 0, hanging: hanging.map(({ received }) => received.length) };
  }

  const without = await deliver(false);
  const withThem = await deliver(true);
  t.diagnostic(`p99 ${without.p99} ms, with receivers that hang ${withThem.p99} ms`);
  for (const requests of withThem.hanging) assert.ok(requests <= 8, `${requests} requests to a receiver that hangs`);
  // Other programs share the machine, so only a multiple would be a fault: the time-out of a receiver is ten minutes.
  assert.ok(withThem.p99 < 3 * without.p99 + 2_000, `p99 ${without.p99} ms, with receivers that hang ${withThem.p99} ms`);
});
