import { positionQuestions } from '@mp/contracts/questions/positions';
import { streams } from '@mp/contracts/streams';
import { answerPosition, type Stage } from '@mp/service-kit/answer-position';
import type { Consumer } from '@mp/service-kit/consume';
import type { Parts } from '@mp/service-kit/parts';
import type { Runner } from '@mp/service-kit/runner';
import type { EventsStore } from '../events/events-store.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';

type Deps = { events: EventsStore; visitors: VisitorsStore; counter: Pick<Runner, 'wake'>; contacts: Consumer };

/**
 * Answers where the stream of events stands. An event that was accepted reaches it once it is counted, and as one of its
 * contact once that contact is known and earlier events were attributed to it.
 */
export function answerLeadpulsePosition(parts: Parts, { events, visitors, counter, contacts }: Deps) {
  const contactsApplied: Stage = {
    mark: async () => '',
    async reached({ after }) {
      const positions = after.filter(({ stream }) => stream === contacts.reads.stream.name);
      // A position in a stream that is gone is not waited for: what applies it will ask for a new one.
      return (await Promise.all(positions.map(contacts.progressTo))).every((progress) => progress !== 'behind');
    },
  };
  const counted: Stage = {
    mark: async ({ account_id }) => (await events.newestPending(account_id)) ?? '',
    async reached({ account_id }, mark) {
      const oldest = mark === '' ? undefined : (await events.pendingOf(account_id, 1))[0]?.id;
      if (oldest === undefined || oldest > mark) return true;
      counter.wake();
      return false;
    },
  };
  const attributed: Stage = {
    mark: async () => '',
    reached: async ({ account_id }) => !(await visitors.isAttributing(account_id)),
  };
  return answerPosition(parts, positionQuestions.leadpulse, streams.leadpulse, [contactsApplied, counted, attributed]);
}
