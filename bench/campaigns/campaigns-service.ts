import type { Contact } from '@mp/contracts/contact';
import { newId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { aContact } from '@mp/test-kit/a-contact';
import { removeStreams } from '@mp/test-kit/remove-streams';
import { buildApp } from '../../services/campaigns/src/app.ts';
import { createContactablesStore } from '../../services/campaigns/src/audience/contactables/contactables-store.ts';
import { recipientsOf } from '../../services/campaigns/src/ledger/recipients/recipient-row.ts';
import { createCall, keyring, namespace, startParts } from '../in-process.ts';
import { startNeighbours } from './neighbours.ts';

export const connections = 10;

export const html = `<html><body><h1>Hello {{ contact.first_name }}</h1>${'<p>Some words of a newsletter that somebody wrote with care.</p>'.repeat(40)}<a href="https://example.com/offer">Offer</a></body></html>`;

type Config = {
  /** The contacts of the account. */
  people: readonly Contact[];
  smtpUrl?: string;
  /** Whether its consumers and background work run, and it knows the contacts. */
  live: boolean;
};

export const campaignsConfig = (smtpUrl: string) => ({
  LINK_KEYS: keyring,
  PUBLIC_URL: 'http://localhost:8080',
  SMTP_URL: smtpUrl,
  SMTP_CONNECTIONS: connections,
});

/** The campaigns service in this process, with doubles of the services it asks and a separate database that is dropped at the end. */
export async function withCampaigns(config: Config, measure: (service: Awaited<ReturnType<typeof start>>) => Promise<void>) {
  const service = await start(config);
  try {
    await measure(service);
  } finally {
    await service.stop();
  }
}

async function start({ people, smtpUrl = 'smtp://127.0.0.1:1', live }: Config) {
  const neighbours = await startNeighbours(people);
  const parts = await startParts('campaigns');
  const { mongo, broker, relay, outbox } = parts;
  const { app, prepare, consumers, background = [] } = buildApp(parts, campaignsConfig(smtpUrl));
  await prepare();
  await app.ready();
  broker.start();
  const accountId = newId('account');
  if (live) {
    relay.start();
    for (const part of [...consumers, ...background]) part.start();
    const contactables = createContactablesStore(mongo.db);
    for (let first = 0; first < people.length; first += 500) await contactables.keep(accountId, people.slice(first, first + 500));
  }
  const asAccount = createCall(app);
  const call = (method: 'GET' | 'POST', path: string, payload?: object) =>
    asAccount(accountId, { method, path, ...(payload && { payload }) });

  return {
    parts,
    accountId,
    call,

    /** Creates a campaign to all contacts, or to a segment, and sends it. Returns its ID. */
    async send(audience = 'all'): Promise<string> {
      const { id } = await call('POST', '/v2/campaigns', {
        name: 'Bench',
        subject: 'Hi {{ contact.first_name }}',
        from: { email: 'news@example.com' },
        html,
        text: 'Hello {{ contact.first_name }}',
        audience: { include: [audience] },
      });
      await call('POST', `/v2/campaigns/${id}/send`, {});
      return id;
    },

    /** Waits until the campaign and everything that follows from its emails is done. */
    async untilDone(id: string) {
      const counting = () => recipientsOf(mongo.db).findOne({ tally_changed: true }, { projection: { _id: 1 } });
      while ((await call('GET', `/v2/campaigns/${id}`)).status !== 'sent' || (await outbox.pendingCount()) > 0 || (await counting()))
        await pause(50);
    },

    async stop() {
      if (live) {
        await Promise.all([...consumers, ...background].map((part) => part.stop()));
        await relay.stop();
      }
      await app.close();
      await mongo.db.dropDatabase();
      await Promise.all([broker.stop(), neighbours.stop(), mongo.stop()]);
      await removeStreams(process.env.NATS_URL ?? '', namespace);
    },
  };
}

/** Subscribed contacts with addresses in 50 domains, in order of their IDs. */
export const subscribers = (count: number): Contact[] =>
  Array.from({ length: count }, (_, index) =>
    aContact({
      email: `person${index}@example${index % 50}.com`,
      first_name: `Person ${index}`,
      consent: { email: { status: 'subscribed', at: '2026-01-01T00:00:00.000Z', method: 'api' }, sms: null },
      source: null,
    }),
  ).sort((a, b) => (a.id < b.id ? -1 : 1));
