import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { optionalPrograms, pathOf } from './test-tools.ts';

/** What results of tests depend on besides the files: the versions of Node, MongoDB and NATS, and the programs that are installed. */
export async function versionsOf({ mongoUrl, natsUrl }: { mongoUrl: string; natsUrl: string }): Promise<string> {
  const client = new MongoClient(mongoUrl);
  const nats = await connect({ servers: natsUrl });
  try {
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    const programs = optionalPrograms.filter(pathOf);
    return [`node ${process.version}`, `mongod ${version}`, `nats-server ${nats.info?.version}`, ...programs].join(', ');
  } finally {
    await Promise.all([client.close(), nats.close()]);
  }
}
