import { DeliverPolicy, type JetStreamClient, type JetStreamManager, type JsMsg } from '@nats-io/jetstream';

/** A stream that delivers nothing for this long before its end was reached has lost the rest. */
const maxSilenceMs = 5_000;

/**
 * Reads the messages that a stream has at this moment, in order; with `since`, those received since then. Returns when the first
 * message that it stores was received; undefined when it is empty. Throws when it cannot read to the end.
 */
export async function readStream(
  { manager, publisher }: { manager: JetStreamManager; publisher: JetStreamClient },
  stream: string,
  since: Date | undefined,
  read: (message: JsMsg) => void | Promise<void>,
): Promise<Date | undefined> {
  const { state } = await manager.streams.info(stream);
  if (state.messages === 0) return undefined;
  const from = since
    ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() }
    : { deliver_policy: DeliverPolicy.All };
  const first = new Date(state.first_ts);
  const consumer = await publisher.consumers.get(stream, from);
  if ((await consumer.info(true)).num_pending === 0) return first;
  const messages = await consumer.consume({ max_messages: 1_000 });
  const awaitNext = () => setTimeout(() => messages.stop(new Error(`Reading ${stream} stopped before its end.`)), maxSilenceMs);
  let silence = awaitNext();
  try {
    for await (const message of messages) {
      // The time that `read` takes does not count.
      clearTimeout(silence);
      await read(message);
      if (message.seq >= state.last_seq || message.info.pending === 0) break;
      silence = awaitNext();
    }
  } finally {
    clearTimeout(silence);
    await messages.close();
  }
  return first;
}
