import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from './platform.ts';

const people = 60;
const [senders, requests, events] = [6, 6, 100];
const flooded = senders * requests * events;

test('a flood of page views of one account delays the workflows of another account by seconds', async (t) => {
  const platform = await startPlatform(t);
  const busy = await platform.client('--permission', 'read_write', '--account', 'busy');
  const quiet = await platform.client('--permission', 'read_write', '--account', 'quiet');
  const contacts = Array.from({ length: people }, (_, person) => ({ external_id: `u${person}`, email: `u${person}@busy.example` }));
  assert.equal((await busy.post('/v2/contacts/batch', { contacts })).status, 200);
  assert.equal((await quiet.post('/v2/contacts', { external_id: 'ada', email: 'ada@quiet.example' })).status, 201);
  const { data: workflow } = await quiet.post('/v2/workflows', {
    name: 'Order',
    trigger: { type: 'event', name: 'order_placed' },
    entry: { policy: 'every_time' },
    steps: [{ id: 'end', type: 'exit', reason: 'ordered' }],
  });

  let orders = 0;
  /** The milliseconds until an event of the quiet account has started its run. */
  async function delay() {
    const began = performance.now();
    assert.equal((await quiet.post('/v2/leadpulse/track', { event: 'order_placed', external_id: 'ada' })).status, 202);
    orders += 1;
    await eventually(async () => (await quiet.get(`/v2/workflows/${workflow.id}/runs`)).data.items.length === orders);
    return performance.now() - began;
  }
  // The first event finds nothing prepared, such as connections.
  await delay();
  const alone = Math.max(await delay(), await delay(), await delay());

  const visit = (number: number) => ({
    ...{ event: '$pageview', external_id: `u${number % people}`, visitor_id: `v${number % people}` },
    context: { page: { url: `https://busy.example/p${number % 30}` } },
  });
  await Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      for (let request = 0; request < requests; request += 1) {
        const first = (sender * requests + request) * events;
        const body = { events: Array.from({ length: events }, (_, index) => visit(first + index)) };
        const response = await busy.post('/v2/leadpulse/track', body);
        assert.equal(response.status, 202, response.text);
      }
    }),
  );
  const beside = Math.max(await delay(), await delay(), await delay());
  t.diagnostic(`alone ${Math.round(alone)} ms, beside the flood ${Math.round(beside)} ms`);
  // Forty seconds when each event was checked and applied on its own; a busy machine slows both figures.
  assert.ok(beside <= 10_000 + 8 * alone, `alone ${Math.round(alone)} ms, beside the flood ${Math.round(beside)} ms`);

  const counted = async (client: typeof quiet) => (await client.get('/v2/leadpulse/analytics')).data.totals.events;
  assert.equal(await counted(quiet), orders);
  await eventually(async () => (await counted(busy)) === flooded);
});
