import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import type { Client } from '@mp/test-kit/client';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { config, fakeServices } from './setting.ts';

export type Received = { headers: IncomingHttpHeaders; body: string; payload: ReturnType<typeof JSON.parse> };

/** A local receiver of webhooks that records what it gets. */
export async function recorder(
  t: TestContext,
  respond: (response: ServerResponse, received: Received) => unknown = (response) => response.end(),
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const one = { headers: request.headers, body, payload: JSON.parse(body) };
    received.push(one);
    respond(response, one);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { received, url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook` };
}

/** The running service, with a clock that can be moved forward. */
export async function webhookService(t: TestContext, more: { webhookTimeoutMs?: number } = {}) {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const play = await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const { app, deliverer, suspended } = await testService(
    t,
    parts,
    (own) => buildApp(own, { ...config, ...more, clock, WEBHOOK_ALLOW_PRIVATE: true }),
    {
      live: true,
    },
  );
  return {
    app,
    parts,
    play,
    suspended,
    clock,
    account: () => testClient(app, { permission: 'admin', plan: 'enterprise' }),
    pass(milliseconds: number) {
      ahead += milliseconds;
      deliverer.wake();
    },
    create: async (account: Client, url: string, body: object = {}) =>
      (await account.patient().post('/v2/webhooks', { url, events: ['*'], ...body })).data,
    /** Publishes that a contact was created. */
    contactCreated(account: Client, fields: Partial<Parameters<typeof aContact>[0]> = {}) {
      const contact = aContact({ id: newId('contact'), email: 'ada@example.com', ...fields });
      return play.publish(ContactCreated, account.accountId, { contact });
    },
    contactUpdated(account: Client, fields: Parameters<typeof aContact>[0], changed: string[]) {
      return play.publish(ContactUpdated, account.accountId, { contact: aContact(fields), changed });
    },
  };
}

export const publicId = ({ id }: { id: string }) => id.replace(/^evt_/, 'event_');
