import { serviceNames } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { pause } from '@mp/service-kit/backoff';
import { natsAddress } from '@mp/service-kit/nats-address';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { SMTPServer } from 'smtp-server';
import { createClient } from '../tests/client.ts';
import { writeResults } from './contacts-results.ts';
import { row } from './contacts-service.ts';
import { withPlatform } from './platform.ts';

/**
 * What a contact, an event and a recipient cost on the disks of MongoDB and NATS, in all services together: the whole platform gets
 * some of each through its API, and the difference is read from `collStats` and the streams once every consumer has caught up.
 * BENCH_CONTACTS and BENCH_EVENTS for a short run; BENCH_DETAILS=1 prints every collection and stream.
 */
const contacts = Number(process.env.BENCH_CONTACTS ?? 20_000);
const events = Number(process.env.BENCH_EVENTS ?? 20_000);
const eventsPerCall = 500;
const eventsPerVisitor = 10;
/** Every fifth visitor says who it is, with its last event. */
const identified = 5;

/** Collections that hold what is gone after at most nine days. */
const shortLived = new Set(['outbox', 'inbox', 'effects', 'idempotency_claims', 'file_chunks', 'import_failed_rows', 'import_row_errors']);

type Stored = { documents: number; data: number; disk: number; indexes: number };
type Taken = { kept: Stored; passing: Stored; messages: number; streamBytes: number };

const nothing = (): Stored => ({ documents: 0, data: 0, disk: 0, indexes: 0 });
const minus = (a: Stored, b: Stored): Stored => ({
  documents: a.documents - b.documents,
  data: a.data - b.data,
  disk: a.disk - b.disk,
  indexes: a.indexes - b.indexes,
});

const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  onData(stream, _session, done) {
    stream.resume();
    stream.on('end', () => done());
  },
});
await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve));
const address = mail.server.address();
const smtpUrl = `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

/** A contact with about 1 KB of fields. */
function contactOf(index: number) {
  const { attributes, ...rest } = row(index);
  const notes = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`note_${at}`, `${noise(index * 8 + at)} ${'text '.repeat(12)}`]));
  return { ...rest, company: `Company ${index % 5_000}`, attributes: { ...attributes, ...notes } };
}

/** Text that does not compress well, as the names and notes of real contacts. */
const noise = (seed: number) => (Math.imul(seed + 1, 2_654_435_761) >>> 0).toString(36).padStart(7, '0').repeat(2);

function csv(): string {
  const notes = Array.from({ length: 8 }, (_, at) => `note_${at}`);
  const header = [
    'external_id',
    'email',
    'first_name',
    'last_name',
    'company',
    'address.city',
    'address.country',
    'tags',
    'attributes.plan',
  ];
  const lines = Array.from({ length: contacts }, (_, index) => {
    const { external_id, email, first_name, last_name, company, address, tags, attributes } = contactOf(index);
    const values: Record<string, unknown> = attributes;
    const own = [external_id, email, first_name, last_name, company, address.city, address.country, tags.join(';'), attributes.plan];
    return [...own, attributes.seats, ...notes.map((name) => values[name])].join(',');
  });
  return [[...header, 'attributes.seats:number', ...notes.map((name) => `attributes.${name}`)].join(','), ...lines].join('\n');
}

function eventOf(index: number) {
  const visitor = Math.floor(index / eventsPerVisitor);
  const isLast = index % eventsPerVisitor === eventsPerVisitor - 1;
  const url = `https://shop.example.com/products/${noise(index % 700)}`;
  return {
    event: isLast ? 'product_viewed' : '$pageview',
    visitor_id: `visitor-${noise(visitor)}`,
    ...(isLast && visitor % identified === 0 && { email: contactOf(visitor).email }),
    ...(isLast && { properties: { product: `p-${index % 700}`, price: index % 90, category: `c${index % 12}` } }),
    context: {
      page: { url, title: `Product ${index % 700}`, referrer: 'https://search.example.com/' },
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      locale: 'de-DE',
      screen: '1920x1080',
    },
  };
}

try {
  await withPlatform(
    async (platform) => {
      const key = await platform.command(
        'key.ts',
        '--name',
        'sizing',
        '--permission',
        'admin',
        '--account',
        'sizing',
        '--plan',
        'enterprise',
      );
      const client = createClient(platform.url, key);
      const ok = async (response: ReturnType<typeof client.get>, wanted = [200, 201, 202]) => {
        const { status, text, data } = await response;
        if (!wanted.includes(status)) throw new Error(`${status} ${text}`);
        return data;
      };
      const mongo = await MongoClient.connect(platform.infra.env.MONGODB_URL ?? '');
      const nats = await connect(natsAddress(platform.infra.env.NATS_URL ?? ''));
      const manager = await jetstreamManager(nats);

      async function taken(): Promise<Taken> {
        await mongo.db('admin').command({ fsync: 1 });
        const [kept, passing] = [nothing(), nothing()];
        for (const name of serviceNames) {
          const db = mongo.db(`${platform.namespace}_${name}`);
          for (const { name: collection } of await db.listCollections({}, { nameOnly: true }).toArray()) {
            const stats = await db.command({ collStats: collection });
            const sum = shortLived.has(collection) ? passing : kept;
            sum.documents += stats.count;
            sum.data += stats.size;
            // Space that rewritten documents left and that new ones will use.
            sum.disk += stats.storageSize - (stats.wiredTiger?.['block-manager']?.['file bytes available for reuse'] ?? 0);
            sum.indexes += stats.totalIndexSize;
            if (process.env.BENCH_DETAILS && stats.size > 1e6)
              console.log(
                `${name}.${collection}: ${stats.count}, ${mb(stats.size)} data, ${mb(stats.storageSize)} disk, ${mb(stats.totalIndexSize)} indexes`,
              );
          }
        }
        let [messages, streamBytes] = [0, 0];
        for (const { name } of Object.values(streams)) {
          const info = await manager.streams.info(`${platform.namespace}_${name}`).catch(() => undefined);
          if (process.env.BENCH_DETAILS) console.log(`${name}: ${info?.state.messages}, ${mb(info?.state.bytes ?? 0)}`);
          messages += info?.state.messages ?? 0;
          streamBytes += info?.state.bytes ?? 0;
        }
        return { kept, passing, messages, streamBytes };
      }

      /** Waits until no service has anything left to publish or to apply. */
      async function settled() {
        for (let quiet = 0; quiet < 3; ) {
          const texts = await Promise.all(serviceNames.map((name) => platform.metrics(name)));
          const waiting = texts
            .flatMap((text) => text.split('\n'))
            .filter((line) => /^(consumer_lag_events|outbox_pending_rows|leadpulse_pending_events)\{/.test(line));
          quiet = waiting.length > 0 && waiting.every((line) => line.endsWith(' 0')) ? quiet + 1 : 0;
          await pause(1_000);
        }
      }

      async function difference(work: () => Promise<void>): Promise<Taken> {
        await settled();
        const before = await taken();
        await work();
        await settled();
        const after = await taken();
        return {
          kept: minus(after.kept, before.kept),
          passing: minus(after.passing, before.passing),
          messages: after.messages - before.messages,
          streamBytes: after.streamBytes - before.streamBytes,
        };
      }

      const rules = [
        { field: 'tags', op: 'contains', value: 'imported' },
        { field: 'attributes.plan', op: 'eq', value: 'pro' },
        { field: 'tags', op: 'contains', value: 't1' },
        { field: 'address.city', op: 'eq', value: 'City 7' },
        { field: 'attributes.seats', op: 'gte', value: 80 },
      ];
      const segments: string[] = [];
      for (const [index, definition] of rules.entries())
        segments.push((await ok(client.post('/v2/segments', { name: `Segment ${index}`, definition }))).id);

      const ofContacts = await difference(async () => {
        const { id } = await ok(client.call('POST', '/v2/contacts/imports', csv(), { 'content-type': 'text/csv' }));
        for (;;) {
          const job = await ok(client.get(`/v2/contacts/imports/${id}`));
          if (job.status === 'completed' && job.rows.created === contacts) break;
          if (!['queued', 'running'].includes(job.status)) throw new Error(JSON.stringify(job));
          await pause(500);
        }
      });

      const ofEvents = await difference(async () => {
        for (let from = 0; from < events; from += eventsPerCall) {
          const batch = Array.from({ length: Math.min(eventsPerCall, events - from) }, (_, index) => eventOf(from + index));
          const { accepted } = await ok(client.post('/v2/leadpulse/track', { events: batch }));
          if (accepted !== batch.length) throw new Error(`${accepted} of ${batch.length} events were accepted`);
        }
      });

      let recipients = 0;
      const ofRecipients = await difference(async () => {
        const campaign = await ok(
          client.post('/v2/campaigns', {
            name: 'Sizing',
            subject: 'Hello {{ contact.first_name }}',
            from: { email: 'news@example.com', name: 'News' },
            html: `<h1>Hello</h1>${'<p>Some words of a newsletter.</p>'.repeat(40)}<a href="https://example.com/offer">Offer</a>`,
            audience: { include: [segments.at(-1)] },
          }),
        );
        await ok(client.post(`/v2/campaigns/${campaign.id}/send`));
        for (;;) {
          const { status, body } = await client.get(`/v2/campaigns/${campaign.id}`);
          if (status !== 200) throw new Error(JSON.stringify(body));
          if (body.data.status === 'sent') {
            recipients = body.data.audience_count;
            break;
          }
          await pause(1_000);
        }
      });
      await mongo.close();
      await nats.close();

      const gb = (bytes: number, count: number) => ((bytes / count) * 1e6) / 1e9;
      const line = (what: string, { kept, passing, messages, streamBytes }: Taken, count: number) =>
        `| ${[
          what,
          ...[kept.data, kept.disk, kept.indexes, passing.disk + passing.indexes].map((bytes) => gb(bytes, count).toFixed(2)),
          (messages / count).toFixed(2),
          Math.round(streamBytes / messages),
          gb(streamBytes, count).toFixed(2),
        ].join(' | ')} |`;
      const perMillion = (one: Taken, count: number) => gb(one.kept.disk + one.kept.indexes, count).toFixed(1);
      await writeResults({
        name: 'sizing',
        title: 'Sizes on disk',
        how: `all services with MongoDB 4.0 (snappy) and one NATS server; ${contacts.toLocaleString('en')} contacts with 1 KB of fields imported from a CSV file, into five segments, of which each contact is in 1.6; ${events.toLocaleString('en')} events of ${(events / eventsPerVisitor).toLocaleString('en')} visitors in calls with ${eventsPerCall}, a fifth of the visitors identified; a campaign to ${recipients.toLocaleString('en')} recipients. \`collStats\` of every collection and the state of every stream, before and after each, once all consumers had caught up; extrapolated to a million. "Short-lived" are the outboxes, inboxes and other collections that keep a row for at most nine days.`,
        table: [
          '| a million | GB of documents | on disk | indexes | short-lived, on disk with indexes | messages each in NATS | bytes of a message | GB in NATS, per replica |',
          '|---|---|---|---|---|---|---|---|',
          line('contacts', ofContacts, contacts),
          line('events of LeadPulse', ofEvents, events),
          line('recipients', ofRecipients, recipients),
        ].join('\n'),
        aims: [
          ['GB on disk with indexes for a million contacts', 'reported', perMillion(ofContacts, contacts)],
          ['GB on disk with indexes for a million events', 'reported', perMillion(ofEvents, events)],
          ['GB on disk with indexes for a million recipients', 'reported', perMillion(ofRecipients, recipients)],
        ],
      });
    },
    { env: { SMTP_URL: smtpUrl }, ownInfra: true, metrics: true },
  );
} finally {
  mail.close();
}

function mb(bytes: number) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
