import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Scope, scopes } from '@mp/contracts/permissions';
import { webhookEventTypes } from '@mp/contracts/webhooks/catalogue';
import type { Client } from '@mp/test-kit/client';
import { recorder, webhookService } from './webhooks.ts';

/** The area that each group of events is about, as an own table: a group that is missing here fails. */
const areas: Readonly<Record<string, Scope>> = {
  ...{ contact: 'contacts:read', import: 'contacts:read', export: 'contacts:read', form: 'contacts:read' },
  ...{ segment: 'segments:read', campaign: 'campaigns:read', message: 'campaigns:read' },
  ...{ event: 'leadpulse:read', visitor: 'leadpulse:read', workflow: 'workflows:read', api_key: 'settings:read' },
  audit_entry: 'settings:read',
};
const areaOf = (type: string): Scope => {
  const area = areas[type.split('.')[0] ?? ''];
  assert.ok(area, type);
  return area;
};

const withScopes = (account: Client, own: readonly Scope[]) => account.as({ permission: 'admin', scopes: [...own] });
/** A credential with every scope but this one. */
const without = (account: Client, area: Scope) =>
  withScopes(
    account,
    scopes.filter((scope) => scope !== area),
  );
/** A credential that reads webhooks and this area only. */
const only = (account: Client, area: Scope) => withScopes(account, ['webhooks:read', 'webhooks:write', area]);

test('what happened is hidden from a credential whose scopes do not include the area of the event', async (t) => {
  const service = await webhookService(t);
  // As a careless receiver does.
  const { url } = await recorder(t, (response, { body }) => response.writeHead(500).end(body));
  const account = service.account();
  const { id } = await service.create(account, url);
  const log = `/v2/webhooks/${id}/deliveries`;
  const delivered = new Map<string, { id: string; payload: { data: object } }>();
  for (const type of webhookEventTypes) delivered.set(type, (await account.patient().post(`/v2/webhooks/${id}/test`, { type })).data);

  for (const [type, { id, payload }] of delivered) {
    await t.test(`${type}: in the log, a delivery, its replay and the response of the receiver`, async () => {
      const area = areaOf(type);
      const one = `/v2/webhooks/deliveries/${id}`;
      const list = `${log}?type=${type}&limit=100`;
      const blind = [without(account, area), withScopes(account, ['webhooks:read', 'webhooks:write'])];
      const data = JSON.stringify(payload.data);
      for (const credential of blind) {
        const [read, listed] = [await credential.get(one), await credential.get(list)];
        assert.deepEqual([read.status, read.data.payload, read.data.last_attempt.response], [200, null, null]);
        assert.deepEqual([listed.status, listed.data.items[0].last_attempt.response], [200, null]);
        for (const { text } of [read, listed]) assert.ok(!text.includes(data) && !text.includes(JSON.stringify(data).slice(1, -1)));
      }
      const seeing = only(account, area);
      assert.deepEqual((await seeing.get(one)).data.payload, payload);
      assert.ok((await seeing.get(list)).data.items[0].last_attempt.response.length > 0);

      for (const credential of blind) {
        const replayed = await credential.post(`${one}/replay`);
        assert.deepEqual([replayed.status, replayed.data.payload], [202, null]);
        assert.ok(!replayed.text.includes(data));
      }
      const key = { 'idempotency-key': `replay-${id}` };
      assert.deepEqual((await seeing.post(`${one}/replay`, undefined, key)).data.payload, payload);
      for (const credential of blind) {
        const retried = await credential.post(`${one}/replay`, undefined, key);
        assert.deepEqual(
          [retried.error.code, retried.text.includes(data)],
          ['IDEMPOTENCY_KEY_REUSED', false],
          'a key of another credential',
        );
      }
    });
  }

  await t.test('in the stream of events, by type and in a stream of every type', async () => {
    const openStream = async (query = '') => {
      const first = (await account.get(`/v2/webhooks/stream${query}`)).text;
      const [, streamId] = /^id: (stream_[0-9a-z]{26})/m.exec(first) ?? [];
      assert.ok(streamId, first);
      return streamId;
    };
    const audit = 'audit_entry.created';
    const [streamId, ofAudit] = [await openStream(), await openStream(`?events=${audit}`)];
    for (const type of webhookEventTypes) await account.post('/v2/webhooks/trigger', { type });
    const typesFor = async (credential: Client, stream = streamId) =>
      [...(await credential.get(`/v2/webhooks/stream?after=${stream}.0`)).text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    // Entries of the audit log come only to those who name them.
    assert.deepEqual(await typesFor(only(account, 'settings:read'), ofAudit), [audit]);
    const unnamed = webhookEventTypes.filter((type) => type !== audit);
    assert.deepEqual((await typesFor(account)).toSorted(), unnamed.toSorted());
    for (const area of new Set(Object.values(areas))) {
      const own = unnamed.filter((type) => areaOf(type) === area).toSorted();
      assert.deepEqual((await typesFor(only(account, area))).toSorted(), own);
      const others = unnamed.filter((type) => areaOf(type) !== area).toSorted();
      assert.deepEqual((await typesFor(without(account, area))).toSorted(), others);
      assert.equal((await without(account, area).get(`/v2/webhooks/stream?events=${own[0]}`)).status, 403);
    }
  });
});
