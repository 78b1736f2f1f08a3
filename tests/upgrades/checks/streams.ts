import assert from 'node:assert/strict';
import { serviceNames } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { eventually, type Upgraded } from './upgraded.ts';

/** Nothing waits any more, nothing was set aside, and no service logged an error. */
export async function checkDrained({ platform }: Upgraded) {
  const { mongoUrl, natsUrl } = platform.infra;
  const mongo = await MongoClient.connect(mongoUrl);
  const nats = await connect({ servers: natsUrl });
  try {
    const manager = await jetstreamManager(nats);
    for (const service of serviceNames) {
      const outbox = mongo.db(`${platform.namespace}_${service}`).collection('outbox');
      await eventually(async () => (await outbox.countDocuments({ pending: true })) === 0);
    }
    for (const { name } of Object.values(streams))
      await eventually(async () => {
        for await (const { num_pending, num_ack_pending } of manager.consumers.list(`${platform.namespace}_${name}`))
          if (num_pending + num_ack_pending > 0) return false;
        return true;
      });
    const { state } = await manager.streams.info(`${platform.namespace}_${streams.dead.name}`);
    assert.equal(state.messages, 0, 'an event became a dead letter');
  } finally {
    await nats.close();
    await mongo.close();
  }
  for (const service of serviceNames) {
    const errors = (await platform.log(service)).split('\n').filter((line) => /"level":(50|60)/.test(line));
    assert.deepEqual(errors, [], service);
  }
}
