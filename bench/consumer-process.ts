import { AccountChanged } from '@mp/contracts/events/platform';
import { streams } from '@mp/contracts/streams';
import { newId } from '@mp/ids';
import { createConsumer, on, onAll } from '@mp/service-kit/consume';
import { startParts } from './in-process.ts';

/** One replica with a consumer that keeps a row for each event, one by one or in groups, until it is killed. */
const [name = '', way = '', concurrency = ''] = process.argv.slice(2);

const parts = await startParts('gateway');
const taken = parts.mongo.db.collection<{ _id: string; name: string }>('taken');
const rowOf = () => ({ _id: newId('event'), name });
const handler =
  way === 'groups'
    ? onAll(AccountChanged, async ({ session }, events) => void (await taken.insertMany(events.map(rowOf), { session })))
    : on(AccountChanged, async ({ session }) => void (await taken.insertOne(rowOf(), { session })));
parts.broker.start();
createConsumer(parts, {
  ...{ name, stream: streams.platform, filter: 'platform.>', concurrency: Number(concurrency), handlers: [handler] },
}).start();
