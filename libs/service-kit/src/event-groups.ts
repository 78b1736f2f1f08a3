import { ApiError } from '@mp/contracts/errors';
import type { EventEnvelope } from '@mp/contracts/event';
import { type Lane, lanes } from '@mp/contracts/lanes';
import type { AccountId } from '@mp/ids';
import { z } from 'zod';
import { createInTurn } from './in-turn.ts';
import { inboxOf } from './inbox.ts';
import { isDuplicateKey, isMongoUnavailable, type Mongo, type Origin, type Transaction } from './mongo.ts';

/** How events of one type take effect: each in a transaction of its own, or several of different contacts in one. */
export type Reaction = {
  react: (tx: Transaction, event: EventEnvelope) => Promise<void>;
  reactAll?: (tx: Transaction, events: readonly EventEnvelope[]) => Promise<void>;
};

/** An event that waits for its turn. `key` is its contact, or else its run; events without one wait for nothing. */
type Waiting = {
  event: EventEnvelope;
  lane: Lane;
  key: string;
  bytes: number;
  reaction: Reaction;
  done: PromiseWithResolvers<void>;
};

type Limits = {
  /** How many events take effect in one transaction. */
  maxEvents: number;
  /** How many transactions this process runs at once. Those of the bulk lane leave one of them to the live lane, if there are several. */
  atOnce: number;
  /** How long a group takes, as far as its number of events decides. */
  groupMs?: Readonly<Record<Lane, number>>;
};

/** MongoDB 4.0 limits a transaction to 16 MiB of oplog; the effect of an event is a few times its size. */
const maxBytes = 2 ** 20;

/**
 * An event of the live lane waits for the live groups in work, whatever an event costs on this machine. Nothing waits for a bulk group
 * but its own lane, and a large group costs a fraction of several small ones.
 */
const usualGroupMs = { live: 150, bulk: 500 };

/** A group is worth one or two repetitions; then its halves meet fewer conflicts. */
const groupConflictMs = 300;

/**
 * No group is made smaller than this because events take long: a group has a cost of its own, so on a busy machine small groups would
 * make all take longer, and never grow again. One of the live lane still costs a fraction of its events one by one.
 */
const fewestEvents = { live: 10, bulk: 100 };

/** So many groups apply all that waits: with a long queue, others wait for events that have not even been read, and groups must keep up. */
const mostGroups = 20;

/**
 * How long after the one before it a bulk group begins, unless it is full: events of an import arrive a few at a time, even fewer in each
 * of several replicas, and a transaction for every few would cost several times as much.
 */
const gatherMs = 200;

/** The live lane comes first; one of so many groups is of the bulk lane, so that a busy live lane never stops it. */
const bulkEvery = 5;

/** Shared by the consumers of a process, because they change the same rows of a contact. */
const inTurn = createInTurn();

/**
 * Applies events in groups, each exactly once: the transaction of their effects inserts their ids into the inbox. An idle consumer
 * applies an event at once; a group forms while others are in work, and one of the bulk lane gathers its events. The live lane comes
 * before the bulk lane, and within a lane accounts take turns among the events that have been read, so that a backlog of one delays
 * these by one group, not by the backlog.
 *
 * A group has one event for each contact, or for each run if its events name no contact. Events of a contact take effect one at a
 * time in a process: their transactions change the same rows. A group that fails is halved, down to the event at fault, whose error
 * the caller gets.
 */
export function createEventGroups({ mongo, name }: { mongo: Mongo; name: string }, { maxEvents, atOnce, groupMs = usualGroupMs }: Limits) {
  const inbox = inboxOf(mongo.db);
  const queues: Record<Lane, Map<AccountId, Waiting[]>> = { live: new Map(), bulk: new Map() };
  const busy = new Set<string>();
  const inWork: Record<Lane, number> = { live: 0, bulk: 0 };
  const bulkAtOnce = Math.max(1, atOnce - 1);
  let formed = 0;
  const waitingIn: Record<Lane, number> = { live: 0, bulk: 0 };
  let bulkBegan = Number.NEGATIVE_INFINITY;
  let gathering: NodeJS.Timeout | undefined;
  /** What an event of a group cost lately. */
  const eventMs: Record<Lane, number> = { live: groupMs.live / maxEvents, bulk: groupMs.bulk / maxEvents };

  const inboxId = (event: EventEnvelope) => `${name} ${event.id}`;

  function begin() {
    while (inWork.live + inWork.bulk < atOnce) {
      const group = nextGroup();
      const lane = group[0]?.lane;
      if (lane === undefined) return;
      inWork[lane] += 1;
      formed += 1;
      const begun = performance.now();
      waitingIn[lane] -= group.length;
      if (lane === 'bulk') bulkBegan = begun;
      void apply(group).finally(() => {
        eventMs[lane] += ((performance.now() - begun) / group.length - eventMs[lane]) / 4;
        inWork[lane] -= 1;
        for (const { key } of group) busy.delete(key);
        begin();
      });
    }
  }

  function nextGroup(): Waiting[] {
    const [first, second] = formed % bulkEvery === bulkEvery - 1 ? (['bulk', 'live'] as const) : (['live', 'bulk'] as const);
    const group = form(first);
    return group.length > 0 ? group : form(second);
  }

  /** The next group of a lane: one event of each account after the other, until it is full or nothing more can start. */
  function form(lane: Lane): Waiting[] {
    const group: Waiting[] = [];
    if (waitingIn[lane] === 0) return group;
    const fewest = Math.max(fewestEvents[lane], Math.ceil(waitingIn[lane] / mostGroups));
    const room = Math.min(maxEvents, Math.max(fewest, Math.floor(groupMs[lane] / eventMs[lane])));
    if (lane === 'bulk' && (inWork.bulk === bulkAtOnce || !isGathered(room))) return group;
    const waiting = queues[lane];
    const skipped = new Map<AccountId, Waiting[]>();
    let bytes = 0;
    let isFull = false;
    const turns = [...waiting];
    for (let taken = -1; !isFull && taken !== group.length; ) {
      taken = group.length;
      for (const [accountId, items] of turns) {
        const item = nextFree(items, (held) => skipped.set(accountId, [...(skipped.get(accountId) ?? []), held]));
        if (!item) continue;
        group.push(item);
        busy.add(item.key);
        bytes += item.bytes;
        // The account goes to the end of the queue.
        waiting.delete(accountId);
        waiting.set(accountId, items);
        isFull = group.length >= room || bytes >= maxBytes;
        if (isFull) break;
      }
    }
    for (const [accountId, items] of turns) {
      items.unshift(...(skipped.get(accountId) ?? []));
      if (items.length === 0) waiting.delete(accountId);
    }
    return group;
  }

  /** Whether a bulk group can begin now; otherwise it begins once it has gathered its events. */
  function isGathered(room: number): boolean {
    const waitMs = bulkBegan + gatherMs - performance.now();
    if (waitingIn.bulk >= room || waitMs <= 0) return true;
    gathering ??= setTimeout(() => {
      gathering = undefined;
      begin();
    }, waitMs);
    return false;
  }

  function nextFree(items: Waiting[], skip: (item: Waiting) => void): Waiting | undefined {
    for (let item = items.shift(); item !== undefined; item = items.shift()) {
      if (!busy.has(item.key)) return item;
      skip(item);
    }
    return undefined;
  }

  /** Settles every event of the group; never rejects. */
  async function apply(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    try {
      const keys = group.map(({ key }) => `${mongo.db.databaseName} ${key}`);
      await inTurn(keys, () => inBackground(() => (group.length === 1 ? takeEffect(first) : takeEffectTogether(first, group))));
      for (const { done } of group) done.resolve();
    } catch (error) {
      if (group.length === 1 || isMongoUnavailable(error)) {
        for (const { done } of group) done.reject(error);
        return;
      }
      const half = Math.ceil(group.length / 2);
      await apply(group.slice(0, half));
      await apply(group.slice(half));
    }
  }

  async function inBackground(work: () => Promise<void>) {
    await mongo.background.take();
    try {
      await work();
    } finally {
      mongo.background.leave();
    }
  }

  async function takeEffect(one: Waiting) {
    const { event, reaction } = one;
    const _id = inboxId(event);
    try {
      await mongo.transaction(originOf(one), async (tx) => {
        await inbox.insertOne({ _id, at: new Date() }, { session: tx.session });
        await reaction.react(tx, event);
      });
    } catch (error) {
      const seen = isDuplicateKey(error) && (await inbox.findOne({ _id })) !== null;
      if (!seen) throw error;
    }
  }

  async function takeEffectTogether(first: Waiting, group: readonly Waiting[]) {
    const origins = new Map(group.map((one) => [one.key, originOf(one)]));
    const causedBy = (data: unknown): Origin => {
      const origin = origins.get(keyOf(data) ?? '');
      if (!origin) throw new Error('An event about another contact was written in the transaction of a group.');
      return origin;
    };
    await mongo.transaction(
      { ...originOf(first), causedBy },
      async (tx) => {
        const { session } = tx;
        const ids = group.map(({ event }) => inboxId(event));
        const seen = new Set(
          (await inbox.find({ _id: { $in: ids } }, { session, projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
        );
        const fresh = group.filter(({ event }) => !seen.has(inboxId(event)));
        if (fresh.length === 0) return;
        const at = new Date();
        await inbox.insertMany(
          fresh.map(({ event }) => ({ _id: inboxId(event), at })),
          { session },
        );
        for (const [reaction, events] of byReaction(fresh)) await reaction.reactAll?.(tx, events);
      },
      { limitMs: groupConflictMs },
    );
  }

  return {
    /** Resolves once the event has taken effect, now or earlier. */
    apply(event: EventEnvelope, reaction: Reaction, bytes: number, lane: Lane = 'live'): Promise<void> {
      const item = { event, lane, key: keyOf(event.data) ?? event.id, bytes, reaction, done: Promise.withResolvers<void>() };
      const queue = queues[lane];
      waitingIn[lane] += 1;
      const items = queue.get(event.account_id);
      if (items) items.push(item);
      else queue.set(event.account_id, [item]);
      begin();
      return item.done.promise;
    },

    /** Gives back the events whose turn has not come. */
    stop() {
      const stopping = new ApiError('SERVICE_UNAVAILABLE', 'The service is stopping.', { retryAfter: 1 });
      clearTimeout(gathering);
      for (const lane of lanes) {
        const queue = queues[lane];
        waitingIn[lane] = 0;
        for (const { done } of [...queue.values()].flat()) done.reject(stopping);
        queue.clear();
      }
    },
  };
}

/** What an event causes stays in its lane, and starts no workflows if the event must not. */
const originOf = ({ lane, event: { id, correlation_id, traceparent, starts_workflows } }: Waiting): Origin => ({
  correlationId: correlation_id,
  causationId: id,
  lane,
  ...(traceparent !== undefined && { traceparent }),
  ...(starts_workflows === false && { startsWorkflows: false }),
});

function byReaction(group: readonly Waiting[]): Map<Reaction, EventEnvelope[]> {
  const found = new Map<Reaction, EventEnvelope[]>();
  for (const { reaction, event } of group) {
    const events = found.get(reaction);
    if (events) events.push(event);
    else found.set(reaction, [event]);
  }
  return found;
}

const Key = z.union([
  z.object({ contact_id: z.string() }).transform(({ contact_id }) => contact_id),
  z.object({ contact: z.object({ id: z.string() }) }).transform(({ contact }) => contact.id),
  z.object({ run_id: z.string() }).transform(({ run_id }) => run_id),
  z.object({ person: z.string() }).transform(({ person }) => person),
]);

/** The contact that an event is about, or the run or the person if it names no contact. */
const keyOf = (data: unknown): string | undefined => Key.safeParse(data).data;
