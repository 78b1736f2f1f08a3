import type { Position } from '@mp/contracts/position';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { Broker } from './broker.ts';

/** How far a consumer is, over all replicas, as its stream knows it. */
export function createConsumerProgress(broker: Broker, { name, stream }: { name: string; stream: StreamDefinition }) {
  return {
    /** How many events of the stream it has not applied yet, including those in progress. */
    async lag() {
      const { manager } = await broker.connected();
      const { num_pending, num_ack_pending } = await manager.consumers.info(broker.streamOf(stream.name), name);
      return num_pending + num_ack_pending;
    },
    /** How many of its events are dead letters that were neither deleted nor are older than 30 days. */
    async deadLetters() {
      const { manager } = await broker.connected();
      const subject = broker.subjectOf(`dead.${name}`);
      const { state } = await manager.streams.info(broker.streamOf(streams.dead.name), { subjects_filter: subject });
      return state.subjects?.[subject] ?? 0;
    },
    /**
     * Whether every event of the stream up to a position has taken effect or was dead-lettered. `lost`: the stream lost events since
     * the position was read, so a new position is needed.
     */
    async progressTo({ epoch, sequence }: Position): Promise<'applied' | 'behind' | 'lost'> {
      const { manager } = await broker.connected();
      const info = await manager.consumers.info(broker.streamOf(stream.name), name).catch(whereMissing);
      // Read after the consumer: if the stream is still the same, it was the same then.
      const end = await broker.position(stream);
      if (end.epoch !== epoch || end.sequence < sequence) return 'lost';
      if (!info) return 'behind';
      const { ack_floor, num_pending, num_ack_pending } = info;
      // The ack floor is at the last event that matched the filter, which may be before the end of the stream.
      return ack_floor.stream_seq >= sequence || num_pending + num_ack_pending === 0 ? 'applied' : 'behind';
    },
  };
}

/** A missing consumer is not an error: it is created when a replica starts it. */
function whereMissing(error: unknown): undefined {
  const { ConsumerNotFound, StreamNotFound } = JetStreamApiCodes;
  const missing = error instanceof JetStreamApiError && (error.code === ConsumerNotFound || error.code === StreamNotFound);
  if (!missing) throw error;
}
