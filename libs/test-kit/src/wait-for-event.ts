import type { TestContext } from 'node:test';
import type { EventEnvelope, EventType } from '@mp/contracts/event';
import { streams } from '@mp/contracts/streams';
import { natsAddress } from '@mp/service-kit/nats-address';
import { connect } from '@nats-io/transport-node';
import type { z } from 'zod';
import { testInfra } from './infra.ts';
import { patienceMs } from './patience.ts';
import { testNamespace } from './test-parts.ts';

/** Records published events from now on. `next` resolves with the first recorded or future event of a type that satisfies `matches`. */
export async function listenToEvents(t: TestContext) {
  const { natsUrl } = await testInfra();
  const connection = await connect(natsAddress(natsUrl));
  const recorded: { subject: string; envelope: EventEnvelope }[] = [];
  let arrived = Promise.withResolvers<void>();
  const published = Object.entries(streams).flatMap(([name, stream]) => ('publisher' in stream ? [name] : []));
  // In either lane.
  const eventSubject = new RegExp(`^${testNamespace}\\.((?:${published.join('|')})\\..+?)(?:\\.bulk)?$`);
  // Not to `>`: with a subscriber to every inbox, NATS sends events to consumers that have stopped, and to others only 30 seconds later.
  connection.subscribe(`${testNamespace}.>`, {
    callback: (_, message) => {
      const subject = eventSubject.exec(message.subject)?.[1];
      if (subject === undefined) return;
      recorded.push({ subject, envelope: message.json<EventEnvelope>() });
      arrived.resolve();
      arrived = Promise.withResolvers<void>();
    },
  });
  await connection.flush();
  t.after(() => connection.close());

  return {
    async next<Data extends z.ZodType>(
      type: EventType<Data>,
      matches: (event: EventEnvelope<z.output<Data>>) => boolean = () => true,
    ): Promise<EventEnvelope<z.output<Data>>> {
      const late = AbortSignal.timeout(patienceMs);
      for (;;) {
        for (const { subject, envelope } of recorded) {
          if (subject !== type.subject) continue;
          const event = { ...envelope, data: type.data.parse(envelope.data) };
          if (matches(event)) return event;
        }
        await Promise.race([
          arrived.promise,
          new Promise((_, reject) =>
            late.addEventListener('abort', () => reject(new Error(`No ${type.subject} arrived within ${patienceMs} ms.`)), { once: true }),
          ),
        ]);
      }
    },
    /** The number of events of this type recorded so far. */
    count: (type: EventType) => recorded.filter(({ subject }) => subject === type.subject).length,
  };
}
