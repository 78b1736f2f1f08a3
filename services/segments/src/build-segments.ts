import { type Clock, machineClock } from '@mp/service-kit/clock';
import type { Parts } from '@mp/service-kit/service-parts';
import { createApplyActivity } from './activities/apply-activity.ts';
import { createReadActivities } from './activities/read-activities.ts';
import { createBackfillRunner } from './backfills/backfill-runner.ts';
import { createEmptySegment } from './backfills/empty-segment.ts';
import { createFillSegment } from './backfills/fill-segment.ts';
import { createEraser } from './erasures/eraser.ts';
import { createChangeMembers } from './memberships/change-members.ts';
import { createDueTimer } from './memberships/due-timer.ts';
import { createEvaluate } from './memberships/evaluate.ts';
import { createMergeMembers } from './memberships/merge-members.ts';
import { createRecordChanges } from './memberships/record-membership-changes.ts';
import { createLearnNamesOnce } from './names/learn-names-once.ts';
import { createApplyContact } from './profiles/apply-contact.ts';
import { createDefinitionCache } from './segments/definition-cache.ts';
import { createSegmentCounts } from './segments/segment-counts.ts';
import { createStores } from './stores.ts';

export type Segments = ReturnType<typeof buildSegments>;

export type Options = { clock?: Clock; chunkSize?: number };

/** The stores and what works on them, wired together; used by the HTTP service and the rebuild command. */
export function buildSegments(parts: Parts, { clock = machineClock, chunkSize = 200 }: Options = {}) {
  const { mongo, outbox, logger } = parts;
  const stores = createStores(parts);
  const { segments, versions, profiles, activities, memberships, sequences, due, backfills, countChanges, growth, names, erasures } =
    stores;
  const counts = createSegmentCounts({ mongo, memberships, countChanges, growth, logger, clock });

  const definitionsOf = createDefinitionCache(segments);
  const recordChanges = createRecordChanges({ memberships, sequences, counts, outbox });
  const learnNamesOnce = createLearnNamesOnce({ mongo, logger, profiles, activities, names });
  const readActivities = createReadActivities({ profiles, activities });
  const { evaluate, evaluations } = createEvaluate({ memberships, activities: readActivities, due, recordChanges });
  const mergeMembers = createMergeMembers({ memberships, evaluate, recordChanges, clock });
  const applying = { profiles, memberships, due, definitionsOf, evaluate, recordChanges, mergeMembers, names, clock };
  const contacts = createApplyContact(applying);
  const activityChanges = createApplyActivity({ profiles, activities, definitionsOf, evaluate, clock });
  const timer = createDueTimer({ mongo, logger, clock, due, profiles, definitionsOf, evaluate });
  const changeMembers = createChangeMembers({ profiles, memberships, definitionsOf, evaluate, recordChanges, clock });
  const filling = { mongo, clock, backfills, segments, memberships, profiles, counts, versions, definitionsOf, evaluate, changeMembers };
  const fillSegment = createFillSegment(filling);
  const emptyChunk = createEmptySegment({ mongo, clock, backfills, memberships, profiles, recordChanges });
  const runner = createBackfillRunner({ logger, backfills, segments, fillSegment, emptyChunk, chunkSize });
  const eraser = createEraser({ mongo, outbox, profiles, activities, memberships, erasures, logger });

  return {
    ...stores,
    ...{ clock, readActivities, counts, learnNamesOnce },
    ...{ contacts, changeMembers, ...activityChanges, timer, runner, eraser, evaluations },
    prepare: async () => {
      for (const part of [stores, counts, learnNamesOnce]) await part.prepare();
    },
  };
}
