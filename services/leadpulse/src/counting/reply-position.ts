import { Position } from '@mp/contracts/position';
import { positionRequests } from '@mp/contracts/requests/positions';
import { streams } from '@mp/contracts/streams';
import type { AccountId } from '@mp/ids';
import { createBatchLoader } from '@mp/service-kit/batches';
import type { Consumer } from '@mp/service-kit/consume';
import { replyWithPosition, type Stage } from '@mp/service-kit/reply-position';
import type { Runner } from '@mp/service-kit/runner';
import type { Parts } from '@mp/service-kit/service-parts';
import type { EventsStore } from '../events/events-store.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';

type Deps = {
  events: Pick<EventsStore, 'newestPending' | 'firstPending'>;
  visitors: Pick<VisitorsStore, 'attributingSince'>;
  counter: Pick<Runner, 'wake'>;
  contacts: Pick<Consumer, 'reads' | 'progressTo'>;
};

/**
 * Replies with the position in the stream by which all accepted events are published. An event is published once it is
 * counted, and as an event of its contact once that contact is known and its earlier events are attributed. Concurrent
 * requests share their look-ups.
 */
export function replyWithLeadpulsePosition(parts: Parts, { events, visitors, counter, contacts }: Deps) {
  const oldestPending = together(events.firstPending);
  const oldestAttributing = together(async (accountId: AccountId) => (await visitors.attributingSince(accountId, 'oldest'))?.toISOString());
  const progressTo = together((position) => contacts.progressTo(Position.parse(JSON.parse(position))));

  const contactsApplied: Stage = {
    mark: async () => '',
    async reached({ after }) {
      const positions = after.filter(({ stream }) => stream === contacts.reads.stream.name);
      // Do not wait for a position in a stream that no longer exists: the service that applies it requests a new one.
      return (await Promise.all(positions.map((position) => progressTo(JSON.stringify(position))))).every(
        (progress) => progress !== 'behind',
      );
    },
  };
  const counted: Stage = {
    mark: async ({ account_id }) => (await events.newestPending(account_id)) ?? '',
    async reached({ account_id }, mark) {
      const oldest = mark === '' ? undefined : await oldestPending(account_id);
      if (oldest === undefined || oldest > mark) return true;
      counter.wake();
      return false;
    },
  };
  // Visitors that are identified after a request do not delay its reply.
  const attributed: Stage = {
    mark: async ({ account_id }) => (await visitors.attributingSince(account_id, 'newest'))?.toISOString() ?? '',
    async reached({ account_id }, mark) {
      const oldest = mark === '' ? undefined : await oldestAttributing(account_id);
      return oldest === undefined || oldest > mark;
    },
  };
  return replyWithPosition(parts, positionRequests.leadpulse, streams.leadpulse, [contactsApplied, counted, attributed]);
}

const together = <T, Key extends string>(look: (key: Key) => Promise<T>) =>
  createBatchLoader<T, Key>(async (keys) => new Map(await Promise.all(keys.map(async (key) => [key, await look(key)] as const))));
