import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { contactId, segmentId } from '@mp/contracts/ids';
import { MembershipCause } from '@mp/contracts/membership-cause';
import { Explanation, explainRule } from '@mp/rules/explain';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { activityReach, maxRead, withinKeeping } from '../activities/activity.ts';
import type { ReadActivities } from '../activities/read-activities.ts';
import type { FindSurvivor } from '../profiles/find-survivor.ts';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import type { MembershipsStore } from './memberships-store.ts';

type Deps = {
  mongo: Mongo;
  segments: SegmentsStore;
  memberships: MembershipsStore;
  profiles: ProfilesStore;
  activities: Pick<ReadActivities, 'readOne'>;
  findSurvivor: FindSurvivor;
  clock: Clock;
};

const Membership = z
  .object({
    segment_id: segmentId,
    contact_id: contactId.describe('The contact. For a contact that was merged into another, the surviving contact.'),
    member: z.boolean().describe('Whether the contact is in the segment now.'),
    entered_at: z.iso.datetime().nullable().describe('When the contact last entered the segment; null: never.'),
    left_at: z.iso.datetime().nullable().describe('When the contact left again; null: it is a member, or never was.'),
    entered_cause: MembershipCause.nullable().describe('Why the contact last entered; null: it never did, or that was not recorded.'),
    entered_by: z
      .string()
      .nullable()
      .describe('The API key, OAuth client, user, bulk job or workflow that added the contact; null: none did.'),
    left_cause: MembershipCause.nullable().describe('Why the contact left again; null: it did not, or that was not recorded.'),
    left_by: z.string().nullable().describe('The API key, OAuth client, user or workflow that removed the contact; null: none did.'),
    version: z.number().int().describe('The version of the definition that is explained.'),
    flips_at: z.iso.datetime().nullable().describe('When the result will change through the passage of time alone; null: never.'),
    evaluated_at: z.iso.datetime(),
    explanation: Explanation,
  })
  .meta({ id: 'SegmentMembership' });

export function explainMembership(app: Server, { mongo, segments, memberships, profiles, activities, findSurvivor, clock }: Deps) {
  app.get(
    '/v2/segments/:id/contacts/:contact_id',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'explainSegmentMembership',
        summary: 'Explain why a contact is or is not in a segment',
        description:
          'Returns every part of the definition with its result, and every condition with the value it was evaluated against. A count ' +
          'without `in_last` covers all activities that are still kept. For a static segment, `entered_by` names who added the contact.',
        params: z.object({ id: segmentId, contact_id: contactId }),
        response: { 200: success(Membership) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id: segmentId, contact_id: requestedId } = request.params;
      await segments.get(accountId, segmentId);
      const known = await profiles.findOne(accountId, requestedId);
      const contactId = known?.contact ? requestedId : ((await findSurvivor(accountId, requestedId)) ?? requestedId);
      // One snapshot, so that the membership and its explanation are consistent.
      const data = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        const segment = await segments.get(accountId, segmentId, tx);
        const profile = await profiles.findOne(accountId, contactId, tx);
        if (!profile || !isKnown(profile)) throw notFound();
        const now = clock();
        // A static segment is explained by the membership itself.
        const rule = withinKeeping(segment.definition ?? { segment: segmentId });
        const reach = new Map([...activityReach(rule)].map(([name, { windowMs }]) => [name, { windowMs, limit: maxRead }]));
        const done = await activities.readOne(accountId, { contactId, reach, now, tx });
        const inside = new Set((await memberships.openOf(accountId, [contactId], tx)).map((membership) => membership.segmentId));
        const stay = await memberships.newest(accountId, segmentId, contactId, tx);
        const subject = { contact: profile.contact, activities: (name: string) => done.get(name) ?? [], segments: inside };
        const explanation = explainRule(rule, subject, now);
        return {
          segment_id: segmentId,
          contact_id: contactId,
          member: inside.has(segmentId),
          entered_at: stay?.enteredAt.toISOString() ?? null,
          left_at: stay?.leftAt?.toISOString() ?? null,
          entered_cause: stay?.enteredCause ?? null,
          entered_by: stay?.enteredBy ?? null,
          left_cause: stay?.leftCause ?? null,
          left_by: stay?.leftBy ?? null,
          version: segment.version,
          flips_at: explanation.flips_at,
          evaluated_at: now.toISOString(),
          explanation,
        };
      });
      return { success: true as const, data };
    },
  );
}
