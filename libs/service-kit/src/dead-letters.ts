import type { JsMsg } from '@nats-io/jetstream';
import type { Broker } from './broker.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

type Parts = { broker: Pick<Broker, 'publish'>; logger: Logger; metrics: Pick<Metrics, 'events'> | undefined; name: string };

/** Stores an event that a consumer gave up, with the reason, for operators to replay or delete. It is not delivered again. */
export const createDeadLetters =
  ({ broker, logger, metrics, name }: Parts) =>
  async (message: JsMsg, reason: string): Promise<void> => {
    const letter = {
      consumer: name,
      subject: message.subject,
      stream: message.info.stream,
      sequence: message.seq,
      attempts: message.info.deliveryCount,
      reason,
      at: new Date().toISOString(),
      payload: message.string(),
    };
    await broker.publish(`dead.${name}`, JSON.stringify(letter), `${name}-${message.info.stream}-${message.seq}`);
    logger.error({ subject: message.subject, sequence: message.seq, reason }, 'event dead-lettered');
    metrics?.events.consumed.inc({ consumer: name, outcome: 'dead_lettered' });
    message.term();
  };
