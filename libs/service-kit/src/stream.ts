import { randomUUID } from 'node:crypto';
import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import { PermissionViolationError } from '@nats-io/transport-node';
import { pause } from './backoff.ts';

/** What an operator says of every stream. */
export type StreamLimits = {
  /** On how many servers of the cluster each stream is kept. */
  replicas: number;
  /** The oldest messages go when a stream would become larger; 0 is no limit. */
  maxBytes: number;
};

export type StreamState = {
  /** Another one when the stream was made anew: what the former one kept is lost. */
  epoch: string;
  lastSequence: number;
};

type Wanted = StreamLimits & { name: string; subject: string; keepDays: number };

/** JetStream refuses the same message id again within this window; beyond it the consumers' inbox does. */
const duplicateWindowMs = 2 * 60_000;

const nanosPerMs = 1_000_000;

/** "Stream name already in use with a different configuration": another process has just made it. */
const nameInUse = 10_058;

type Ensuring = {
  /** How long a missing stream stays so before it is made. */
  settleMs: number;
  /** A stream that exists is used as it is where it cannot be changed, such as for want of servers. */
  onNotUpdated: (error: unknown) => void;
};

/** Makes the stream where it is missing, and brings one that exists to what is wanted of it. */
export async function ensureStream(manager: JetStreamManager, wanted: Wanted, { settleMs, onNotUpdated }: Ensuring): Promise<StreamState> {
  const found = await manager.streams.info(wanted.name).catch(async (error: unknown) => {
    if (!isApiError(error, JetStreamApiCodes.StreamNotFound)) throw error;
    if (settleMs > 0) await pause(settleMs);
    return makeStream(manager, wanted);
  });
  const config = configOf(wanted);
  const differs = (Object.keys(config) as (keyof typeof config)[]).some((key) => String(found.config[key]) !== String(config[key]));
  if (!differs) return stateOf(found);
  const updated = await manager.streams.update(wanted.name, config).catch((error: unknown) => {
    if (isRefused(error)) throw error;
    onNotUpdated(error);
    return found;
  });
  return stateOf(updated);
}

async function makeStream(manager: JetStreamManager, wanted: Wanted): Promise<StreamInfo> {
  try {
    // Streams have no id of their own, and a cluster may keep the time of creation of one whose messages it lost.
    return await manager.streams.add({ name: wanted.name, ...configOf(wanted), description: `epoch ${randomUUID()}` });
  } catch (error) {
    if (!isApiError(error, nameInUse)) throw error;
    return manager.streams.info(wanted.name);
  }
}

const isApiError = (error: unknown, code: number) => error instanceof JetStreamApiError && error.code === code;

const configOf = ({ subject, keepDays, replicas, maxBytes }: Wanted) => ({
  subjects: [subject],
  max_age: keepDays * 24 * 60 * 60 * 1_000 * nanosPerMs,
  duplicate_window: duplicateWindowMs * nanosPerMs,
  num_replicas: replicas,
  max_bytes: maxBytes === 0 ? -1 : maxBytes,
});

const stateOf = ({ config, state }: StreamInfo): StreamState => ({ epoch: config.description ?? '', lastSequence: state.last_seq });

/** Where every service has a NATS user of its own, only the one that publishes into a stream may make it. */
export const isRefused = (error: unknown): boolean =>
  error instanceof PermissionViolationError || (error instanceof Error && error.cause instanceof PermissionViolationError);
