import { page } from '@mp/contracts/envelope';
import { Moment } from '@mp/contracts/moment';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { includeTotal, linkNext, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import { readableMoment, type StoredSegment } from '../segments/segment.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import { Member, memberOf } from './member.ts';
import type { MembershipsStore, When } from './memberships-store.ts';

type Deps = { segments: SegmentsStore; memberships: MembershipsStore; profiles: ProfilesStore; cursors: Cursors };

const ListMembersQuery = z.strictObject({
  ...listQuery,
  include: includeTotal,
  as_of: Moment.optional().describe('The members as of this moment instead of now.'),
});

export function listMembers(app: Server, { segments, memberships, profiles, cursors }: Deps) {
  app.get(
    '/v2/segments/:id/contacts',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'listSegmentContacts',
        summary: 'List the contacts in a segment',
        description:
          'In the order of contact ids, as they are now or were as of a moment. Contacts deleted since are left out, so a page may hold ' +
          'fewer than `limit`. While a first version is building these are the members found so far; while a later one is, those of the version before.',
        params: z.object({ id: z.string() }),
        querystring: ListMembersQuery,
        response: { 200: page(Member) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { limit, cursor, include, as_of } = request.query;
      const segment = await segments.get(accountId, request.params.id);
      const boundTo = ['segment members', accountId, segment.id, as_of ?? null];
      const after = cursor === undefined ? null : cursors.decode(boundTo, cursor).id;
      const when = asked(segment, as_of);

      const [rows, total] = await Promise.all([
        memberships.page(accountId, segment.id, when, after, limit + 1),
        include === 'total_count' ? memberships.count(accountId, segment.id, when) : undefined,
      ]);
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const known = await profiles.find(
        accountId,
        shown.map(({ contactId }) => contactId),
      );
      const items = shown.flatMap(({ contactId, enteredAt }) => {
        const profile = known.get(contactId);
        return profile ? [memberOf(profile, enteredAt)] : [];
      });
      const pagination = {
        limit,
        has_more: last !== undefined,
        next_cursor: last ? cursors.encode(boundTo, { value: null, id: last.contactId }) : null,
        ...(total === undefined ? {} : { total_count: total }),
      };
      linkNext(request, reply, pagination);
      return { success: true as const, data: { items, pagination } };
    },
  );
}

/** Now means the last version that was ready; of a first one, what is there so far. */
function asked(segment: StoredSegment, asOf: string | undefined): When {
  if (asOf !== undefined) return readableMoment(segment, new Date(asOf)) ?? 'now';
  return segment.building_from !== null && segment.builds.length > 0 ? segment.building_from : 'now';
}
