import { parseKeyring } from '@mp/contracts/keyring';
import { createServer } from '@mp/service-kit/create-server';
import { createParts } from '@mp/service-kit/service-parts';
import { createEventsStore } from '../services/leadpulse/src/events/events-store.ts';
import { trackEvents } from '../services/leadpulse/src/events/track-events.ts';
import { createWriteBuffer } from '../services/leadpulse/src/events/write-buffer.ts';
import { createSettingsStore } from '../services/leadpulse/src/settings/settings-store.ts';

/** The track route in a separate process, with its store or with one that discards events. Prints its address. */
const [kind = 'durable', database = 'bench_leadpulse'] = process.argv.slice(2);
const parts = createParts({
  name: 'leadpulse',
  database,
  MONGODB_URL: process.env.MONGODB_URL ?? '',
  NATS_URL: process.env.NATS_URL ?? '',
  LOG_LEVEL: 'silent',
  CONTEXT_KEYS: parseKeyring(process.env.CONTEXT_KEYS ?? ''),
  CURSOR_KEYS: parseKeyring(process.env.CURSOR_KEYS ?? ''),
});
await parts.mongo.start(() => undefined);
const events = createEventsStore(parts.mongo.db);
await events.prepare();
const forgetful: Pick<typeof events, 'insert'> = {
  insert: async (these) => these.map(({ event }) => ({ status: 'accepted', id: event.id })),
};
const app = createServer(parts);
trackEvents(app, {
  settings: createSettingsStore(parts.mongo.db),
  countryOf: () => null,
  writeBuffer: createWriteBuffer(kind === 'durable' ? events : forgetful),
  claimFirst: parts.claimFirst,
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
