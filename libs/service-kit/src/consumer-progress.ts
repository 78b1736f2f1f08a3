import type { Lane } from '@mp/contracts/lanes';
import type { Position } from '@mp/contracts/position';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import { pause } from './backoff.ts';
import type { Broker } from './broker.ts';

type Consuming = { name: string; stream: StreamDefinition; readers: readonly { lane: Lane; durable: string }[] };

/** Code that waits for a consumer looks again and again; NATS gets a request about each at most this often. */
const requestEveryMs = 100;

/** How far a consumer is, over all replicas, as its stream knows it. */
export function createConsumerProgress(broker: Broker, { name, stream, readers }: Consuming) {
  const lanes = readers.map(({ lane, durable }) => ({
    lane,
    state: shared(async () => {
      const { manager } = await broker.connected();
      return manager.consumers.info(broker.streamOf(stream.name), durable);
    }),
  }));
  type State = (typeof lanes)[number]['state'];

  /** Whether the events of a lane up to a sequence have been applied. A lane without a consumer has not been read yet. */
  async function isApplied(state: State, sequence: number): Promise<boolean> {
    const info = await state().catch(whereMissing);
    if (!info) return false;
    const { ack_floor, num_pending, num_ack_pending } = info;
    // The ack floor is at the last event that matched the filter, which may be before the end of the stream.
    return ack_floor.stream_seq >= sequence || num_pending + num_ack_pending === 0;
  }

  /** Every event of the lane up to this sequence has been applied. `end`: that of the stream, read before. */
  async function appliedIn(state: State, end: number): Promise<number> {
    const info = await state().catch(whereMissing);
    if (!info) return 0;
    const { ack_floor, num_pending, num_ack_pending } = info;
    return num_pending + num_ack_pending === 0 ? Math.max(end, ack_floor.stream_seq) : ack_floor.stream_seq;
  }

  return {
    /** The position up to which every event has taken effect or was dead-lettered, lane by lane. */
    async applied(): Promise<Position> {
      const end = await broker.position(stream);
      const [live = 0, bulk] = await Promise.all(lanes.map(({ state }) => appliedIn(state, end.sequence)));
      return { ...end, sequence: live, ...(bulk !== undefined && { bulk }) };
    },
    /** How many events it has not applied yet, including those in progress; only those of a lane, if it is given. */
    async lag(only?: Lane) {
      const states = await Promise.all(lanes.flatMap(({ lane, state }) => (lane === (only ?? lane) ? [state()] : [])));
      return states.reduce((total, { num_pending, num_ack_pending }) => total + num_pending + num_ack_pending, 0);
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
    async progressTo({ epoch, sequence, bulk }: Position): Promise<'applied' | 'behind' | 'lost'> {
      const wanted = lanes.flatMap(({ lane, state }) => {
        const upTo = lane === 'live' ? sequence : bulk;
        return upTo === undefined ? [] : [isApplied(state, upTo)];
      });
      const applied = (await Promise.all(wanted)).every((each) => each);
      // Read after the consumers: if the stream is still the same, it was the same then.
      const end = await broker.position(stream);
      if (end.epoch !== epoch || end.sequence < Math.max(sequence, bulk ?? 0)) return 'lost';
      return applied ? 'applied' : 'behind';
    },
  };
}

/** All calls before the next request share its response, so no response is older than its call. */
function shared<T>(request: () => Promise<T>): () => Promise<T> {
  let requestedAt = Number.NEGATIVE_INFINITY;
  let next: Promise<T> | undefined;
  return () => {
    const waitMs = requestedAt + requestEveryMs - performance.now();
    next ??= (waitMs > 0 ? pause(waitMs) : Promise.resolve()).then(() => {
      next = undefined;
      requestedAt = performance.now();
      return request();
    });
    return next;
  };
}

/** A missing consumer is not an error: it is created when a replica starts it. */
function whereMissing(error: unknown): undefined {
  const { ConsumerNotFound, StreamNotFound } = JetStreamApiCodes;
  const missing = error instanceof JetStreamApiError && (error.code === ConsumerNotFound || error.code === StreamNotFound);
  if (!missing) throw error;
}
