import type { Position } from '@mp/contracts/position';
import type { Broker } from '@mp/service-kit/broker';
import type { Consumer } from '@mp/service-kit/consume';
import { inboxOf } from '@mp/service-kit/inbox';
import type { Db } from 'mongodb';

export type AppliedEvents = ReturnType<typeof createAppliedEvents>;

type Deps = { db: Db; broker: Pick<Broker, 'position'>; consumers: readonly Consumer[] };
type Mark = { consumer: Consumer; position: Position };

const maxMarks = 10_000;

/**
 * Reports whether published events have been applied here. The inbox has the applied ones. An event missing from it may
 * still arrive, may have no handler here, or may be dead-lettered. It is in its stream already, so it has passed once every
 * consumer has reached the position at which its stream ended when the event was first requested.
 */
export function createAppliedEvents({ db, broker, consumers }: Deps) {
  const inbox = inboxOf(db);
  const marks = new Map<string, readonly Mark[]>();

  async function unseen(eventIds: readonly string[]): Promise<string[]> {
    const keys = eventIds.flatMap((id) => consumers.map(({ name }) => `${name} ${id}`));
    const rows = await inbox.find({ _id: { $in: keys } }).toArray();
    const seen = new Set(rows.map(({ _id }) => _id.slice(_id.indexOf(' ') + 1)));
    return eventIds.filter((id) => !seen.has(id));
  }

  const marksNow = () =>
    Promise.all(
      consumers.map(async (consumer): Promise<Mark> => {
        const end = await broker.position(consumer.reads.stream);
        return { consumer, position: { ...end, bulk: end.sequence } };
      }),
    );

  async function hasPassed(id: string): Promise<boolean> {
    const marked = marks.get(id) ?? (await marksNow());
    marks.delete(id);
    const progress = await Promise.all(marked.map(({ consumer, position }) => consumer.progressTo(position)));
    if (progress.every((each) => each === 'applied')) return true;
    // A recreated stream has new positions; the event arrives when its publisher publishes it again.
    if (!progress.includes('lost')) marks.set(id, marked);
    const [oldest] = marks.keys();
    if (marks.size > maxMarks && oldest !== undefined) marks.delete(oldest);
    return false;
  }

  return async function haveApplied(eventIds: readonly string[]): Promise<boolean> {
    if (eventIds.length === 0) return true;
    for (const id of await unseen(eventIds)) if (!(await hasPassed(id))) return false;
    return true;
  };
}
