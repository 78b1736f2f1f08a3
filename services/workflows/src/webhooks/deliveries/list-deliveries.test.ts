import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { recorder, webhookService } from '../../../test/webhooks.ts';

const minute = 60_000;

test('the log of the deliveries of a webhook', async (t) => {
  const service = await webhookService(t);
  let status = 200;
  const { url } = await recorder(t, (response) => response.writeHead(status).end('x'.repeat(5_000)));
  const deliver = async (client: ReturnType<typeof testClient>, id: string, type: string) =>
    (await client.post(`/v2/webhooks/${id}/test`, { type })).data;
  const delivered =
    (suffix = '') =>
    async (client: ReturnType<typeof testClient>) =>
      `/v2/webhooks/deliveries/${(await deliver(client, (await service.create(client, url)).id, 'contact.created')).id}${suffix}`;

  await guaranteeRoute(t, service.app, { method: 'GET', scope: 'webhooks:read', url: delivered() });
  await guaranteeRoute(t, service.app, { method: 'POST', scope: 'webhooks:write', url: delivered('/replay') });

  const account = service.account();
  const { id } = await service.create(account, url);
  const first = await deliver(account, id, 'contact.created');
  service.pass(minute);
  status = 500;
  const second = await deliver(account, id, 'message.clicked');
  service.pass(minute);
  const third = await deliver(account, id, 'contact.created');
  const found = async (query: string) => {
    const { status, data, text } = await account.get(`/v2/webhooks/${id}/deliveries?${query}`);
    assert.equal(status, 200, text);
    return data.items.map((delivery: { id: string }) => delivery.id);
  };

  await t.test('is filtered by status, by type of event and by time', async () => {
    assert.deepEqual(await found('sort=-created_at'), [third.id, second.id, first.id]);
    assert.deepEqual(await found('status=delivered'), [first.id]);
    assert.deepEqual(await found('status=failed&sort=created_at'), [second.id, third.id]);
    assert.deepEqual(await found('type=contact.created'), [third.id, first.id]);
    const since = encodeURIComponent(second.created_at);
    assert.deepEqual(await found(`created_at[gte]=${since}`), [third.id, second.id]);
    assert.deepEqual(await found(`created_at[lt]=${since}`), [first.id]);
    assert.deepEqual(await found(`status=failed&created_at[lt]=${encodeURIComponent(third.created_at)}`), [second.id]);
    const both = await account.get(`/v2/webhooks/${id}/deliveries?status=failed&type=contact.created`);
    assert.deepEqual([both.status, both.error.details[0].path], [400, '/query/type']);
  });

  await t.test('has pages', async () => {
    const { items, pagination } = (await account.get(`/v2/webhooks/${id}/deliveries?limit=2`)).data;
    assert.deepEqual([items.length, pagination.has_more], [2, true]);
    assert.deepEqual(await found(`limit=2&cursor=${pagination.next_cursor}`), [first.id]);
  });

  await t.test('has the first 2 KiB of each response, and why the attempt failed', async () => {
    const { attempts } = (await account.get(`/v2/webhooks/deliveries/${second.id}`)).data;
    const [{ status_code, error, response }] = attempts;
    assert.deepEqual([attempts.length, status_code, error, response.length], [1, 500, 'Responded with 500; expected 2xx.', 2_048]);
  });
});
