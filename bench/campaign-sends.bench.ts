import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { Contact } from '@mp/contracts/contact';
import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { ContactsPage } from '@mp/contracts/questions/contacts';
import { newId } from '@mp/ids';
import { createParts } from '@mp/service-kit/parts';
import { aContact } from '@mp/test-kit/a-contact';
import { removeStreams } from '@mp/test-kit/remove-streams';
import nodemailer from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import { buildApp } from '../services/campaigns/src/app.ts';
import { createContactablesStore } from '../services/campaigns/src/contactables/contactables-store.ts';
import { compare } from './compare.ts';

const messages = 3_000;
const connections = 10;
const html = `<html><body><h1>Hello {{ contact.first_name }}</h1>${'<p>Some words of a newsletter that somebody wrote with care.</p>'.repeat(40)}<a href="https://example.com/offer">Offer</a></body></html>`;

if (isMainThread) await main();
else sink();

/** A mail server in a separate thread that accepts everything and reports when the first and last email of a round arrived. */
function sink() {
  let times: number[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData(stream, _session, done) {
      stream.resume();
      stream.on('end', () => {
        times.push(performance.now());
        if (times.length === messages) {
          parentPort?.postMessage({ rate: (messages - 1) / (((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000) });
          times = [];
        }
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.server.address();
    if (address && typeof address === 'object') parentPort?.postMessage({ port: address.port });
  });
}

async function main() {
  const worker = new Worker(new URL(import.meta.url));
  const told = () => new Promise<{ port?: number; rate?: number }>((resolve) => worker.once('message', resolve));
  const { port = 0 } = await told();
  const round = async (send: () => Promise<unknown>) => {
    const done = told();
    await send();
    return (await done).rate ?? Number.NaN;
  };

  const key = parseKeyring(`bench:${Buffer.alloc(32, 1).toString('base64url')}`);
  const namespace = `bench_${process.pid}`;
  const parts = (name: string) =>
    createParts({
      name,
      NAMESPACE: namespace,
      database: `${namespace}_${name}`,
      MONGODB_URL: process.env.MONGODB_URL ?? '',
      NATS_URL: process.env.NATS_URL ?? '',
      LOG_LEVEL: 'warn',
      CONTEXT_KEYS: key,
      CURSOR_KEYS: key,
    });
  const accountId = newId('account');
  const people = Array.from({ length: messages }, (_, index) => contact(index)).sort((a, b) => (a.id < b.id ? -1 : 1));

  const neighbour = parts('contacts');
  neighbour.broker.start();
  await neighbour.broker.answer(ContactsPage, async ({ after, limit }) => {
    const first = after === null ? 0 : people.findIndex(({ id }) => id > after);
    const page = first < 0 ? [] : people.slice(first, first + limit);
    return { contacts: page, next: page.length === limit ? (page.at(-1)?.id ?? null) : null };
  });

  const own = parts('campaigns');
  const service = buildApp(own, {
    LINK_KEYS: key,
    PUBLIC_URL: 'http://localhost:8080',
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    SMTP_CONNECTIONS: connections,
  });
  await own.mongo.start(() => undefined);
  await own.prepare();
  await service.prepare();
  await service.app.ready();
  own.broker.start();
  own.relay.start();
  for (const part of service.background ?? []) part.start();
  const contactables = createContactablesStore(own.mongo.db);
  for (let first = 0; first < messages; first += 500) await contactables.keep(accountId, people.slice(first, first + 500));

  async function call(url: string, payload: object) {
    const context = {
      account_id: accountId,
      principal_id: newId('key'),
      permission: 'admin' as const,
      scopes: null,
      request_id: newId('request'),
      expires_at: Date.now() + 60_000,
    };
    const response = await service.app.inject({
      method: 'POST',
      url,
      headers: { [contextHeader]: signContext(key, context, 'POST', url) },
      payload,
    });
    if (response.statusCode >= 300) throw new Error(response.payload);
    return response.json().data;
  }

  const bare = nodemailer.createTransport({ pool: true, host: '127.0.0.1', port, maxConnections: connections, maxMessages: 500 });

  await compare(`${messages} emails to a local mail server, ${connections} connections, ${html.length} bytes of HTML`, 'emails/s', [
    {
      name: 'bare nodemailer pool, one rendered email each',
      run: () =>
        round(() =>
          Promise.all(
            people.map(({ email, first_name }) =>
              bare.sendMail({
                from: 'news@example.com',
                to: email ?? '',
                subject: `Hi ${first_name}`,
                html: html.replace('{{ contact.first_name }}', first_name ?? ''),
                text: `Hello ${first_name}`,
              }),
            ),
          ),
        ),
    },
    {
      name: 'campaign, with ledger, consent, links and events',
      run: () =>
        round(async () => {
          const { id } = await call('/v2/campaigns', {
            name: 'Bench',
            subject: 'Hi {{ contact.first_name }}',
            from: { email: 'news@example.com' },
            html,
            text: 'Hello {{ contact.first_name }}',
            audience: { include: ['all'] },
          });
          await call(`/v2/campaigns/${id}/send`, {});
        }),
    },
  ]);

  bare.close();
  await Promise.all((service.background ?? []).map((part) => part.stop()));
  await service.app.close();
  await own.relay.stop();
  await own.mongo.db.dropDatabase();
  await Promise.all([own.broker.stop(), neighbour.broker.stop(), own.mongo.stop()]);
  await removeStreams(process.env.NATS_URL ?? '', namespace);
  await worker.terminate();
}

const subscribed = { status: 'subscribed' as const, at: '2026-01-01T00:00:00.000Z', method: 'api' as const };

const contact = (index: number): Contact =>
  aContact({
    email: `person${index}@example.com`,
    first_name: `Person ${index}`,
    consent: { email: subscribed, sms: null },
    source: null,
  });
