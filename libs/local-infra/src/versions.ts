import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';

/** The versions of Node, MongoDB and NATS, on which results of tests depend. */
export async function versionsOf({ mongoUrl, natsUrl }: { mongoUrl: string; natsUrl: string }): Promise<string> {
  const client = new MongoClient(mongoUrl);
  const nats = await connect({ servers: natsUrl });
  try {
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    return `node ${process.version}, mongod ${version}, nats-server ${nats.info?.version}`;
  } finally {
    await Promise.all([client.close(), nats.close()]);
  }
}
