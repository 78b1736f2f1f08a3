import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from './platform.ts';
import { pythonEnvironment } from './python-environment.ts';

const run = promisify(execFile);

/** Pinned, so that results do not depend on new releases. */
const library = 'segment-analytics-python==2.3.3';

/** Sends its secret key in the body only, compressed in the second run. A wrong key must not be repeated. */
const calls = `
import sys
from segment.analytics import Client
url, key, gzip = sys.argv[1], sys.argv[2], sys.argv[3] == "gzip"
failures = []
client = Client(key, host=url, gzip=gzip, on_error=lambda error, batch: failures.append(error), max_retries=0)
client.identify("u1", {"email": "ada@example.com", "firstName": "Ada", "plan": "pro"}, anonymous_id="a1")
client.track("u1", "Order Completed", {"revenue": 39.95, "currency": "EUR"}, message_id="order-1")
client.page("u1", "Shop", "Thanks", {"url": "https://shop.example.com/thanks"})
client.screen("u1", "App", "Home")
client.group("u1", "acme", {"name": "Acme"})
client.alias("a0", "u1")
client.flush()
client.shutdown()
assert not failures, failures
wrong = Client(key[:-1] + "x", host=url, on_error=lambda error, batch: failures.append(error))
wrong.track("u1", "x")
wrong.flush()
wrong.shutdown()
assert [failure.status for failure in failures] == [401], failures
`;

test("Segment's library for Python works unchanged, even with gzip, and repeats no rejected key", async (t) => {
  const { python, missing } = await pythonEnvironment(t, [library]);
  if (missing) return t.skip(missing);

  const platform = await startPlatform(t, { services: ['gateway', 'contacts', 'segments', 'leadpulse'] });
  for (const [index, encoding] of ['identity', 'gzip'].entries()) {
    const client = await platform.client('--permission', 'read_write', '--account', `segment-python-${index}`);
    await run(python, ['-c', calls, platform.url, client.key ?? '', encoding]).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(`${stdout}${stderr}`),
    );
    const seen = await eventually(async () => {
      const { items } = (await client.get('/v2/leadpulse/segment-calls')).data;
      return items.length === 6 && items;
    });
    assert.deepEqual(
      seen.map(({ type, status, library: name }: Record<string, string>) => `${type} ${status} ${name}`).sort(),
      ['alias', 'group', 'identify', 'page', 'screen', 'track'].map((type) => `${type} accepted analytics-python 2.3.3`),
    );
    const order = await eventually(async () => {
      const { items } = (await client.get('/v2/leadpulse/events?event=Order%20Completed')).data;
      return items.find(({ contact_id }: { contact_id: string | null }) => contact_id !== null);
    });
    assert.deepEqual(order.value, { amount: 39.95, currency: 'EUR' });
    const { data: contact } = await client.get(`/v2/contacts/${order.contact_id}`);
    assert.deepEqual(
      [contact.external_id, contact.email, contact.first_name, contact.company, contact.attributes],
      ['u1', 'ada@example.com', 'Ada', 'Acme', { plan: 'pro', company_id: 'acme' }],
    );
  }
});
