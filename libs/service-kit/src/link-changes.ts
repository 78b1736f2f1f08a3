import { randomUUID } from 'node:crypto';
import { wakeSubject } from '@mp/contracts/wake';
import { z } from 'zod';
import { pause } from './backoff.ts';
import type { Broker } from './broker.ts';
import { everythingChanged, onWritten, setLink, wasWritten } from './changes.ts';

/** Writes within this time share a message. */
const gatherMs = 100;

const Wake = z.object({ from: z.string(), written: z.union([z.array(z.string()), z.literal('anything')]) });
type Wake = z.infer<typeof Wake>;

const announceMs = 1_000;

/**
 * Tells the other replicas of a service which collections this process has written, and their runners look again. The link counts as up
 * once a message of this process has come back, so that missing permissions or a lost connection mean polling, as without a link.
 */
export function linkChanges({ broker, database, service }: { broker: Broker; database: string; service: string }) {
  async function link() {
    const { connection } = await broker.connected();
    const from = randomUUID();
    const subject = broker.subjectOf(wakeSubject(service));
    const prefix = `${database}.`;
    const pending = new Set<string>();
    let isUp = false;
    let timer: NodeJS.Timeout | undefined;
    setLink(database, () => isUp && broker.ready());

    const send = () => {
      timer = undefined;
      if (connection.isClosed() || connection.isDraining()) return;
      connection.publish(subject, JSON.stringify({ from, written: [...pending] } satisfies Wake));
      pending.clear();
    };
    const forget = onWritten((namespace, isOurs) => {
      if (!isOurs || !namespace.startsWith(prefix)) return;
      pending.add(namespace.slice(prefix.length));
      timer ??= setTimeout(send, gatherMs).unref();
    });
    const receive = (payload: unknown) => {
      const wake = Wake.parse(payload);
      if (wake.from === from) isUp = true;
      else if (wake.written === 'anything') everythingChanged(database);
      else for (const name of wake.written) wasWritten(prefix + name, false);
    };
    await broker.listen(wakeSubject(service), receive, () => {
      isUp = false;
    });
    send();
    for await (const { type } of connection.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      // What other replicas wrote in the meantime is not known.
      isUp = false;
      everythingChanged(database);
      if (type === 'reconnect') send();
    }
    isUp = false;
    forget();
    clearTimeout(timer);
  }
  void link().catch(() => undefined);
}

/** Tells the replicas of a service that a command has written to its database. Without NATS they find it when they poll. */
export async function announceChanges({ broker, service }: { broker: Broker; service: string }) {
  const announce = async () => {
    const { connection } = await broker.connected();
    connection.publish(broker.subjectOf(wakeSubject(service)), JSON.stringify({ from: randomUUID(), written: 'anything' } satisfies Wake));
    await connection.flush();
  };
  broker.start();
  await Promise.race([announce().catch(() => undefined), pause(announceMs)]);
  await broker.stop();
}
