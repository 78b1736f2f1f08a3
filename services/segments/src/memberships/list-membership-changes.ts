import { page } from '@mp/contracts/envelope';
import { contactId, segmentId } from '@mp/contracts/ids';
import { MembershipCause } from '@mp/contracts/membership-cause';
import { Moment } from '@mp/contracts/moment';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors, Position } from '@mp/service-kit/cursor';
import { addNextLink, listQuery, parseSort } from '@mp/service-kit/list';
import { z } from 'zod';
import type { SegmentsStore } from '../segments/segments-store.ts';
import type { ChangePosition, StoredChange } from './membership-history.ts';
import type { MembershipsStore } from './memberships-store.ts';

type Deps = { segments: SegmentsStore; memberships: MembershipsStore; cursors: Cursors };

const Change = z
  .object({
    contact_id: contactId,
    change: z.enum(['entered', 'left']),
    at: z.iso.datetime(),
    cause: MembershipCause.nullable().describe('Why it changed; null for changes from before causes were stored.'),
    by: z
      .string()
      .nullable()
      .describe('The API key, OAuth client, user, bulk job or workflow that added or removed the contact; null: none did.'),
  })
  .meta({ id: 'SegmentChange' });

const ChangesQuery = z.strictObject({
  ...listQuery,
  sort: z.enum(['at', '-at']).default('-at').describe('`-at`: newest first.'),
  from: Moment.optional().describe('Only changes at this time or later.'),
  to: Moment.optional().describe('Only changes before this time.'),
});

const endOfTime = new Date('9999-12-31T00:00:00.000Z');

export function listMembershipChanges(app: Server, { segments, memberships, cursors }: Deps) {
  app.get(
    '/v2/segments/:id/changes',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'listSegmentChanges',
        summary: 'List the changes of a segment',
        description:
          'Returns the contacts that entered and left the segment, when and why, newest first. The history of an erased contact is removed.',
        params: z.object({ id: segmentId }),
        querystring: ChangesQuery,
        response: { 200: page(Change) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { limit, cursor, sort, from, to } = request.query;
      const { id } = await segments.get(accountId, request.params.id);
      const boundTo = ['segment changes', accountId, id, sort, from ?? null, to ?? null];
      const found = await memberships.changes(accountId, id, {
        from: from === undefined ? undefined : new Date(from),
        before: new Date(Math.min(to === undefined ? endOfTime.getTime() : Date.parse(to), endOfTime.getTime())),
        after: cursor === undefined ? undefined : changeAt(cursors.decode(boundTo, cursor)),
        direction: parseSort(sort).direction,
        limit: limit + 1,
      });
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      const next_cursor = last ? cursors.encode(boundTo, positionOf(last)) : null;
      const pagination = { limit, has_more: last !== undefined, next_cursor };
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: shown.map(viewOf), pagination } };
    },
  );
}

const viewOf = ({ contactId, to, at, cause, by }: StoredChange): z.infer<typeof Change> => ({
  contact_id: contactId,
  change: to === 'inside' ? 'entered' : 'left',
  at: at.toISOString(),
  cause,
  by,
});

const positionOf = ({ id, to, at }: ChangePosition): Position => ({ value: at.getTime(), id: `${to} ${id}` });

function changeAt({ value, id }: Position): ChangePosition {
  const [to, membershipId = ''] = id.split(' ');
  return { id: membershipId, to: to === 'outside' ? 'outside' : 'inside', at: new Date(value ?? 0) };
}
