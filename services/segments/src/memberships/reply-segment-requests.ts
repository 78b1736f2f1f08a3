import { ApiError } from '@mp/contracts/errors';
import {
  RuleEvaluated,
  SegmentMembersCount,
  SegmentMembersPage,
  SegmentsApplied,
  SegmentsCaughtUp,
  SegmentsExist,
} from '@mp/contracts/requests/segments';
import type { AccountId, SegmentId } from '@mp/ids';
import { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import { pause } from '@mp/service-kit/backoff';
import type { Broker } from '@mp/service-kit/broker';
import type { Clock } from '@mp/service-kit/clock';
import { activityReach, withinKeeping } from '../activities/activity.ts';
import type { ReadActivities } from '../activities/read-activities.ts';
import type { AppliedEvents } from '../consistency/applied-events.ts';
import type { Consistency } from '../consistency/caught-up.ts';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import { readableMoment } from '../segments/segment.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import type { MembershipsStore } from './memberships-store.ts';

type Deps = {
  segments: SegmentsStore;
  memberships: MembershipsStore;
  profiles: ProfilesStore;
  activities: Pick<ReadActivities, 'readOne'>;
  haveApplied: AppliedEvents;
  consistency: Consistency;
  clock: Clock;
};

/** Shorter than the timeout of a caller. */
const patienceMs = 4_000;
const lookAgainMs = 100;

/** Short, because callers that block others prefer to retry later. */
const catchUpMs = 500;

/** Replies to other services: the members of segments, which segments exist, and whether a contact matches a rule. */
export function replyToSegmentRequests(
  broker: Broker,
  { segments, memberships, profiles, activities, haveApplied, consistency, clock }: Deps,
) {
  /**
   * The time at which to read each segment. Waits for a segment in its first build, but not for a failed one, whose members
   * are unknown since then.
   */
  async function readable(accountId: AccountId, segmentIds: readonly SegmentId[], asOf: Date) {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const found = await segments.find(accountId, segmentIds);
      const failed = found.find(({ status, building_from }) => status === 'failed' && building_from !== null && asOf >= building_from);
      if (failed) {
        const message = `The segment ${failed.id} could not be built; to rebuild it, send its definition again with PUT.`;
        throw new ApiError('INVALID_STATE', message);
      }
      const moments = found.flatMap((segment) => {
        const moment = readableMoment(segment, asOf);
        return moment ? [{ segmentId: segment.id, moment }] : [];
      });
      if (moments.length === found.length) return moments;
      if (performance.now() > giveUpAt) throw new ApiError('SERVICE_UNAVAILABLE', 'A segment is still being built.', { retryAfter: 2 });
      await pause(lookAgainMs);
    }
  }

  return [
    () =>
      broker.reply(SegmentMembersPage, async ({ account_id, segment_ids, as_of, after, limit }) => {
        const entered = new Map<string, Date>();
        for (const { segmentId, moment } of await readable(account_id, segment_ids, new Date(as_of))) {
          for (const { contactId, enteredAt } of await memberships.page(account_id, segmentId, { when: moment, after, limit: limit + 1 }))
            if (!entered.has(contactId)) entered.set(contactId, enteredAt);
        }
        // The first members of each segment include the first ones of all segments together.
        const sorted = [...entered].sort(([a], [b]) => (a < b ? -1 : 1));
        const page = sorted.slice(0, limit);
        const contact_ids = page.map(([id]) => id);
        const entered_at = page.map(([, at]) => at.toISOString());
        return { contact_ids, entered_at, next: sorted.length > limit ? (contact_ids.at(-1) ?? null) : null };
      }),

    () =>
      broker.reply(SegmentMembersCount, async ({ account_id, segment_id }) => ({
        members: await memberships.count(account_id, segment_id, 'now'),
      })),

    () =>
      broker.reply(SegmentsExist, async ({ account_id, segment_ids }) => {
        const present = await segments.find(account_id, segment_ids);
        const found = new Set(present.map(({ id }) => id));
        const archived = present.filter(({ archived_at }) => archived_at !== null).map(({ id }) => id);
        const dynamic = present.filter(({ kind }) => kind === 'dynamic').map(({ id }) => id);
        const [sources, failed] = await Promise.all([
          consistency.sourcesOf(account_id, [...found]),
          consistency.failedOf(account_id, [...found]),
        ]);
        return { missing: segment_ids.filter((id) => !found.has(id)), failed, archived, dynamic, sources };
      }),

    () =>
      broker.reply(SegmentsCaughtUp, async ({ account_id, segment_ids, positions }) => {
        const reached = await consistency.caughtUp(account_id, segment_ids, positions, performance.now() + catchUpMs);
        return { state: reached.state, as_of: reached.state === 'caught_up' ? reached.asOf.toISOString() : null };
      }),

    () => broker.reply(SegmentsApplied, async () => ({ applied: await consistency.appliedOf('contacts') })),

    () =>
      broker.reply(RuleEvaluated, async ({ account_id, contact_id, rule: given, at_least_revision, after_events }) => {
        const rule = withinKeeping(Rule.parse(given));
        if (!(await haveApplied(after_events))) return { known: false, matches: false };
        const profile = await profiles.findOne(account_id, contact_id);
        if (!profile || profile.revision < at_least_revision) return { known: false, matches: false };
        if (!isKnown(profile)) return { known: profile.deleted, matches: false };
        const now = clock();
        const done = await activities.readOne(account_id, { contactId: contact_id, reach: activityReach(rule), now });
        const inside = new Set((await memberships.openOf(account_id, [contact_id])).map(({ segmentId }) => segmentId));
        const subject = { contact: profile.contact, activities: (name: string) => done.get(name) ?? [], segments: inside };
        return { known: true, matches: compileRule(rule).matches(subject, now).matches };
      }),
  ];
}
