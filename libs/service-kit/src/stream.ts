import { randomUUID } from 'node:crypto';
import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import { PermissionViolationError } from '@nats-io/transport-node';
import { pause } from './backoff.ts';

/** The limits that an operator configures for every stream. */
export type StreamLimits = {
  /** Number of servers of the cluster that store each stream. */
  replicas: number;
  /** Maximum size in bytes, beyond which the oldest messages are deleted; 0 means no limit. */
  maxBytes: number;
};

export type StreamState = {
  /** Changes when the stream is created again: the messages of the former one are lost. */
  epoch: string;
  lastSequence: number;
};

type Wanted = StreamLimits & { name: string; subject: string; keepDays: number };

/** JetStream deduplicates message ids within this window; after that, the inbox of each consumer does. */
const duplicateWindowMs = 2 * 60_000;

const nanosPerMs = 1_000_000;

/** "Stream name already in use with a different configuration": another process has just created it. */
const nameInUse = 10_058;

type Ensuring = {
  /** How long to wait before a missing stream is created. */
  settleMs: number;
  /** Called when an existing stream cannot be updated, for example for lack of servers; it is used unchanged. */
  onNotUpdated: (error: unknown) => void;
};

/** Creates the stream if it is missing, and updates the configuration of an existing one. */
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
    // Streams have no id, and a cluster may keep the creation time of a stream whose messages it lost.
    return await manager.streams.add({ name: wanted.name, ...configOf(wanted), description: `epoch ${randomUUID()}` });
  } catch (error) {
    if (!isApiError(error, nameInUse)) throw error;
    return manager.streams.info(wanted.name);
  }
}

export const isApiError = (error: unknown, code: number): boolean => error instanceof JetStreamApiError && error.code === code;

const configOf = ({ subject, keepDays, replicas, maxBytes }: Wanted) => ({
  subjects: [subject],
  max_age: keepDays * 24 * 60 * 60 * 1_000 * nanosPerMs,
  duplicate_window: duplicateWindowMs * nanosPerMs,
  num_replicas: replicas,
  max_bytes: maxBytes === 0 ? -1 : maxBytes,
});

const stateOf = ({ config, state }: StreamInfo): StreamState => ({ epoch: config.description ?? '', lastSequence: state.last_seq });

/** With one NATS user per service, only the service that publishes to a stream may create it. */
export const isRefused = (error: unknown): boolean =>
  error instanceof PermissionViolationError || (error instanceof Error && error.cause instanceof PermissionViolationError);
