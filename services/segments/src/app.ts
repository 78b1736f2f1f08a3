import { SegmentsAccountErased } from '@mp/contracts/events/segments';
import { nameRequests } from '@mp/contracts/requests/names';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { trustedId } from '@mp/ids';
import { createServer } from '@mp/service-kit/create-server';
import { replyWithName } from '@mp/service-kit/reply-with-name';
import type { App, Parts } from '@mp/service-kit/service-parts';
import { buildSegments, type Options, type Segments } from './build-segments.ts';
import { createAppliedEvents } from './consistency/applied-events.ts';
import { createAwaitConsistency } from './consistency/await-consistency.ts';
import { createConsistency } from './consistency/caught-up.ts';
import { replyWithSegmentsPosition } from './consistency/reply-position.ts';
import { createConsumers } from './consumers.ts';
import { replyToChangeMember } from './effects/reply-change-member.ts';
import { replyToAddMembers } from './memberships/reply-add-members.ts';
import { replyToSegmentRequests } from './memberships/reply-segment-requests.ts';
import { createFindContacts } from './profiles/find-contacts.ts';
import { addRoutes } from './routes.ts';
import { createReadBacklog } from './segments/backlog.ts';

/** Wires the service: its routes, consumers, replies to other services and background work. */
export function buildApp(parts: Parts, { previewMs, ...options }: Options & { previewMs?: number } = {}): App & { built: Segments } {
  const { mongo, broker, metrics, logger } = parts;
  const built = buildSegments(parts, options);
  const { clock, segments, profiles, readActivities: activities, memberships, counts, changeMembers, due, effects } = built;

  const consumers = createConsumers(parts, built);
  const haveApplied = createAppliedEvents({ db: mongo.db, broker, consumers });
  const consistency = createConsistency({ consumers, segments, counts, clock });
  const findContacts = createFindContacts({ mongo, broker, profiles, contacts: built.contacts });
  const accountErasure = createAccountErasure(parts, SegmentsAccountErased);

  metrics.gauge('segment_oldest_overdue_evaluation_seconds', 'How long the oldest due time-based evaluation has been due.', () =>
    due.overdueSeconds(clock()),
  );
  metrics.total('segment_evaluations_total', 'Evaluations of a rule for a contact.', built.evaluations);

  const app = createServer(parts);
  addRoutes(app, {
    ...{ parts, built, findContacts, previewMs },
    awaitConsistency: createAwaitConsistency({ broker, consistency, logger }),
    readBacklog: createReadBacklog(broker, consistency),
  });

  return {
    app,
    built,
    prepare: built.prepare,
    consumers: [...consumers, accountErasure.consumer],
    replies: [
      ...replyToSegmentRequests(broker, { segments, memberships, profiles, activities, haveApplied, consistency, clock }),
      replyWithName(broker, nameRequests.segment, (account, id) => segments.get(account, trustedId<'segment'>(id))),
      replyToAddMembers(broker, { mongo, segments, memberships, findContacts, changeMembers }),
      replyWithSegmentsPosition(parts, consistency),
      replyToChangeMember(broker, { mongo, segments, effects, findContacts, changeMembers }),
    ],
    background: [accountErasure.background, counts, built.runner, built.timer, built.eraser, built.learnNamesOnce],
  };
}
