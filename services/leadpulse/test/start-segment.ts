import type { TestContext } from 'node:test';
import { ContactIdentified } from '@mp/contracts/events/leadpulse';
import type { AccountId } from '@mp/ids';
import type { Client } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../src/app.ts';
import { replyAsGateway } from './segment-source.ts';

/** The origin of the pages of every site. */
export const origin = 'https://shop.example.com';

export const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` });
export const inBrowser = { origin, 'content-type': 'text/plain' };

/** The service, with a gateway that knows the keys made by `keyOf`. */
export async function startSegment(t: TestContext) {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const { keyOf } = await replyAsGateway(parts);
  const stored = (account_id: AccountId) => parts.mongo.db.collection('events').find({ account_id }).sort({ _id: 1 }).toArray();
  const identified = async (accountId: AccountId) =>
    (await writtenEvents(parts.mongo.db, { accountId, subject: ContactIdentified.subject })).map(({ envelope }) => envelope.data);
  const callsOf = async (account: Client, query = '') => (await account.get(`/v2/leadpulse/segment-calls${query}`)).data.items;
  const siteOf = async (account: Client, more: object = {}) =>
    (await account.post('/v2/leadpulse/sites', { name: 'Shop', origins: [origin], ...more })).data;

  async function send(path: string, payload: object | string | Buffer, headers: Record<string, string> = {}) {
    const response = await app.inject({
      method: 'POST',
      url: `/v1/${path}`,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7', 'user-agent': 'Firefox', ...headers },
      payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
    });
    return { status: response.statusCode, headers: response.headers, body: response.json() };
  }

  return { parts, app, keyOf, stored, identified, callsOf, siteOf, send };
}
