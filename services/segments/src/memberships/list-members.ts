import { page } from '@mp/contracts/envelope';
import { segmentId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import { trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { includeContactAnd, withContacts } from '@mp/service-kit/include-contacts';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { AwaitConsistency } from '../consistency/await-consistency.ts';
import { Member, memberOf } from '../profiles/member.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import { readableMoment, type StoredSegment } from '../segments/segment.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import type { MembershipsStore, When } from './memberships-store.ts';

type Deps = {
  segments: SegmentsStore;
  memberships: MembershipsStore;
  profiles: ProfilesStore;
  awaitConsistency: Pick<AwaitConsistency, 'members'>;
  cursors: Cursors;
  broker: Pick<Broker, 'request'>;
};

const ListMembersQuery = z
  .strictObject({
    ...listQuery,
    include: includeContactAnd('total_count', '`total_count`: also count the items of the whole list.'),
    as_of: Moment.optional().describe('Returns the members as of this time instead of now.'),
    consistent: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        'With `true`, the members reflect every contact and event that the API confirmed before this request. Waits up to five seconds ' +
          'for that, then returns 503 with `Retry-After`. Returns 409 if the segment, or a segment its rule uses, is `failed`.',
      ),
  })
  .refine(({ as_of, consistent }) => as_of === undefined || consistent !== 'true', {
    path: ['consistent'],
    message: 'consistent=true applies only to the current members; omit as_of.',
  });

export function listMembers(app: Server, { segments, memberships, profiles, awaitConsistency, cursors, broker }: Deps) {
  app.get(
    '/v2/segments/:id/contacts',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'listSegmentContacts',
        summary: 'List the contacts in a segment',
        description:
          'Returns the members ordered by contact id, now or as of a time in the past. Contacts deleted since are omitted, so a page ' +
          'can have fewer items than `limit`. While the first version is building, returns the members found so far; while a later ' +
          'version is building, those of the previous version. Changes appear within moments; `consistent=true` waits for all confirmed ' +
          'changes.',
        params: z.object({ id: segmentId }),
        querystring: ListMembersQuery,
        response: { 200: page(Member) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { limit, cursor, include, as_of, consistent } = request.query;
      const found = await segments.get(accountId, request.params.id);
      if (consistent === 'true') await awaitConsistency.members(accountId, found.id);
      // Read again, because it may have been built in the meantime.
      const segment = consistent === 'true' ? await segments.get(accountId, found.id) : found;
      const boundTo = ['segment members', accountId, segment.id, as_of ?? null];
      const after = cursor === undefined ? null : trustedId<'contact'>(cursors.decode(boundTo, cursor).id);
      const when = requestedMoment(segment, as_of);

      const [rows, total] = await Promise.all([
        memberships.page(accountId, segment.id, { when, after, limit: limit + 1 }),
        include?.includes('total_count') ? memberships.count(accountId, segment.id, when) : undefined,
      ]);
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const known = await profiles.find(
        accountId,
        shown.map(({ contactId }) => contactId),
      );
      const members = shown.flatMap(({ contactId, enteredAt }) => {
        const profile = known.get(contactId);
        return profile ? [memberOf(profile, enteredAt)] : [];
      });
      const includesContacts = include?.includes('contact');
      const items = includesContacts ? await withContacts(broker, request.principal, members, ({ id }) => id) : members;
      const pagination = {
        limit,
        has_more: last !== undefined,
        next_cursor: last ? cursors.encode(boundTo, { value: null, id: last.contactId }) : null,
        ...(total === undefined ? {} : { total_count: total }),
      };
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items, pagination } };
    },
  );
}

/** The current members are those of the last version that was ready; during the first build, those found so far. */
function requestedMoment(segment: StoredSegment, asOf: string | undefined): When {
  if (asOf !== undefined) return readableMoment(segment, new Date(asOf)) ?? 'now';
  return segment.building_from !== null && segment.builds.length > 0 ? segment.building_from : 'now';
}
