import { AudienceChanged } from '@mp/contracts/events/campaigns';
import { SegmentsAccountErased } from '@mp/contracts/events/segments';
import { ReferencesChanged } from '@mp/contracts/events/workflows';
import { SegmentMemberChange } from '@mp/contracts/questions/segments';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { createErasuresStore } from '@mp/erasures/erasures-store';
import { createAttributeTypes } from '@mp/service-kit/attribute-types';
import { type Clock, machineClock } from '@mp/service-kit/clock';
import { createConsumer } from '@mp/service-kit/consume';
import { createServer } from '@mp/service-kit/create-server';
import { createEffectsStore } from '@mp/service-kit/effects-store';
import type { App, Parts } from '@mp/service-kit/parts';
import { createActivitiesStore } from './activities/activities-store.ts';
import { createApplyActivity } from './activities/apply-activity.ts';
import { onEventTracked } from './activities/on-event-tracked.ts';
import { onMessageActivity } from './activities/on-message-activity.ts';
import { createReadActivities } from './activities/read-activities.ts';
import { createBackfillRunner } from './backfills/backfill-runner.ts';
import { createBackfillsStore } from './backfills/backfills-store.ts';
import { createEmptySegment } from './backfills/empty-segment.ts';
import { createFillSegment } from './backfills/fill-segment.ts';
import { answerSegmentsPosition } from './consistency/answer-position.ts';
import { createAppliedEvents } from './consistency/applied-events.ts';
import { createAwaitConsistency } from './consistency/await-consistency.ts';
import { createConsistency } from './consistency/caught-up.ts';
import { replyToChangeMember } from './effects/answer-change-member.ts';
import { createEraser } from './erasures/eraser.ts';
import { onContactErased } from './erasures/on-contact-erased.ts';
import { addSegmentContacts } from './memberships/add-segment-contacts.ts';
import { replyToAddMembers } from './memberships/answer-add-members.ts';
import { replyToSegmentRequests } from './memberships/answer-segment-questions.ts';
import { createChangeMembers } from './memberships/change-members.ts';
import { createDueStore } from './memberships/due-store.ts';
import { createDueTimer } from './memberships/due-timer.ts';
import { createEvaluate } from './memberships/evaluate.ts';
import { explainMembership } from './memberships/explain-membership.ts';
import { listContactSegments } from './memberships/list-contact-segments.ts';
import { listMembers } from './memberships/list-members.ts';
import { listMembershipChanges } from './memberships/list-membership-changes.ts';
import { createRecordChanges } from './memberships/membership-changes.ts';
import { createMembershipsStore } from './memberships/memberships-store.ts';
import { createMergeMembers } from './memberships/merge-members.ts';
import { removeSegmentContacts } from './memberships/remove-segment-contacts.ts';
import { createSequencesStore } from './memberships/sequences-store.ts';
import { createLearnNamesOnce } from './names/learn-names-once.ts';
import { createNamesStore } from './names/names-store.ts';
import { createApplyContact } from './profiles/apply-contact.ts';
import { createFindContacts } from './profiles/find-contacts.ts';
import { createFindSurvivor } from './profiles/find-survivor.ts';
import { onContactChanged } from './profiles/on-contact-changed.ts';
import { createProfilesStore } from './profiles/profiles-store.ts';
import { onAudienceChanged, onReferencesChanged } from './references/on-references-changed.ts';
import { createReferencesStore } from './references/references-store.ts';
import { archiveSegment } from './segments/archive-segment.ts';
import { createCountChangesStore } from './segments/count-changes-store.ts';
import { createSegment } from './segments/create-segment.ts';
import { createDefinitions } from './segments/definitions.ts';
import { deleteSegment } from './segments/delete-segment.ts';
import { createFindWarnings } from './segments/find-warnings.ts';
import { createFitDefinition } from './segments/fit-definition.ts';
import { getSegment } from './segments/get-segment.ts';
import { getSegmentSeries } from './segments/get-segment-series.ts';
import { createGrowthStore } from './segments/growth-store.ts';
import { listSegmentVersions } from './segments/list-segment-versions.ts';
import { listSegments } from './segments/list-segments.ts';
import { createPreview } from './segments/preview.ts';
import { previewSegment } from './segments/preview-segment.ts';
import { createRequireUnused } from './segments/require-unused.ts';
import { restoreSegment } from './segments/restore-segment.ts';
import { createSegmentCounts } from './segments/segment-counts.ts';
import { createSegmentsStore } from './segments/segments-store.ts';
import { updateSegment } from './segments/update-segment.ts';
import { createVersionsStore } from './segments/versions-store.ts';

export type Segments = ReturnType<typeof buildSegments>;

type Options = { clock?: Clock; chunkSize?: number; previewMs?: number };

/** The stores and the parts that work on them, wired together; used by the HTTP service and the rebuild command. */
export function buildSegments(parts: Parts, { clock = machineClock, chunkSize = 200 }: Options = {}) {
  const { mongo, outbox, cursors, logger } = parts;
  const segments = createSegmentsStore(mongo.db, cursors);
  const profiles = createProfilesStore(mongo.db);
  const activities = createActivitiesStore(mongo.db);
  const memberships = createMembershipsStore(mongo.db);
  const sequences = createSequencesStore(mongo.db);
  const due = createDueStore(mongo.db);
  const backfills = createBackfillsStore(mongo.db);
  const erasures = createErasuresStore(mongo.db);
  const references = createReferencesStore(mongo.db);
  const countChanges = createCountChangesStore(mongo.db);
  const growth = createGrowthStore(mongo.db);
  const effects = createEffectsStore(mongo.db, SegmentMemberChange.answer);
  const versions = createVersionsStore(mongo.db, cursors);
  const counts = createSegmentCounts({ mongo, memberships, countChanges, growth, logger, clock });

  const definitionsOf = createDefinitions(segments);
  const recordChanges = createRecordChanges({ memberships, sequences, counts, outbox });
  const names = createNamesStore(mongo.db);
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

  const stores = [
    ...[segments, versions, profiles, activities, memberships, sequences, due, backfills],
    ...[countChanges, counts, growth, names, learnNamesOnce, erasures, references, effects],
  ];
  return {
    ...{ clock, segments, versions, growth, profiles, activities, readActivities, memberships, due },
    ...{ backfills, counts, names, learnNamesOnce, erasures, references, effects },
    ...{ contacts, changeMembers, ...activityChanges, timer, runner, eraser, evaluations },
    prepare: async () => {
      for (const store of stores) await store.prepare();
    },
  };
}

/** The service on one screen: its routes, consumers, replies to other services and background work. */
export function buildApp(parts: Parts, options: Options = {}): App & { built: Segments } {
  const { mongo, transact, cursors, broker, metrics } = parts;
  const built = buildSegments(parts, options);
  const {
    clock,
    segments,
    versions,
    growth,
    profiles,
    readActivities: activities,
    memberships,
    backfills,
    counts,
    references,
    runner,
  } = built;
  const preview = createPreview({ profiles, memberships, activities, clock });

  const consumers = [
    createConsumer(parts, {
      name: 'segments-contacts',
      stream: streams.contacts,
      filter: 'contacts.contact.>',
      handlers: [
        ...onContactChanged(built.contacts),
        onContactErased({ contacts: built.contacts, erasures: built.erasures, wake: built.eraser.wake }),
      ],
    }),
    createConsumer(parts, {
      name: 'segments-leadpulse',
      stream: streams.leadpulse,
      filter: 'leadpulse.event.>',
      handlers: onEventTracked(built),
    }),
    createConsumer(parts, {
      name: 'segments-campaigns',
      stream: streams.campaigns,
      filter: 'campaigns.message.>',
      handlers: onMessageActivity(built),
    }),
    createConsumer(parts, {
      name: 'segments-audiences',
      stream: streams.campaigns,
      filter: AudienceChanged.subject,
      handlers: [onAudienceChanged(references)],
    }),
    createConsumer(parts, {
      name: 'segments-references',
      stream: streams.workflows,
      filter: ReferencesChanged.subject,
      handlers: [onReferencesChanged(references)],
    }),
  ];
  const haveApplied = createAppliedEvents({ db: mongo.db, broker, consumers });
  const consistency = createConsistency({ consumers, segments, counts, clock });
  const typesOf = createAttributeTypes(parts);
  const fitDefinition = createFitDefinition({ typesOf });
  const findWarnings = createFindWarnings({ names: built.names, typesOf });
  const awaitConsistency = createAwaitConsistency({ broker, consistency, logger: parts.logger });

  const accountErasure = createAccountErasure(parts, SegmentsAccountErased);

  const app = createServer(parts);
  listSegments(app, { segments, counts });
  createSegment(app, { segments, fitDefinition, findWarnings, counts, versions, backfills, runner, transact, clock });
  previewSegment(app, { segments, fitDefinition, findWarnings, profiles, preview, cursors, budgetMs: options.previewMs });
  getSegment(app, { segments, findWarnings, counts });
  updateSegment(app, { segments, fitDefinition, findWarnings, counts, versions, backfills, runner, transact, clock });
  const requireUnused = createRequireUnused({ segments, references });
  deleteSegment(app, { segments, counts, versions, backfills, requireUnused, awaitConsistency, runner, transact });
  archiveSegment(app, { segments, counts, requireUnused, awaitConsistency, transact, clock });
  restoreSegment(app, { segments, counts, versions, backfills, runner, transact, clock });
  listMembers(app, { segments, memberships, profiles, awaitConsistency, cursors, broker });
  listContactSegments(app, { segments, memberships, profiles, findSurvivor: createFindSurvivor(broker), cursors });
  const findContacts = createFindContacts({ mongo, broker, profiles, contacts: built.contacts });
  addSegmentContacts(app, { segments, findContacts, changeMembers: built.changeMembers, transact });
  removeSegmentContacts(app, { segments, findContacts, changeMembers: built.changeMembers, transact });
  listMembershipChanges(app, { segments, memberships, cursors });
  getSegmentSeries(app, { segments, counts, growth, clock });
  listSegmentVersions(app, { segments, versions });
  explainMembership(app, { mongo, segments, memberships, profiles, activities, findSurvivor: createFindSurvivor(broker), clock });
  metrics.gauge('segment_oldest_overdue_evaluation_seconds', 'How long the oldest due time-based evaluation has been due.', () =>
    built.due.overdueSeconds(clock()),
  );
  metrics.total('segment_evaluations_total', 'Evaluations of a rule for a contact.', built.evaluations);

  return {
    app,
    built,
    prepare: built.prepare,
    consumers: [...consumers, accountErasure.consumer],
    answers: [
      ...replyToSegmentRequests(broker, { segments, memberships, profiles, activities, haveApplied, consistency, clock }),
      replyToAddMembers(broker, { mongo, segments, memberships, findContacts, changeMembers: built.changeMembers }),
      answerSegmentsPosition(parts, consistency),
      replyToChangeMember(broker, { mongo, segments, effects: built.effects, findContacts, changeMembers: built.changeMembers }),
    ],
    background: [accountErasure.background, counts, runner, built.timer, built.eraser, built.learnNamesOnce],
  };
}
