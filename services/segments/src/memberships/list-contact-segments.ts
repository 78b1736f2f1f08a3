import { page } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import { type AccountId, type ContactId, trustedId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { FindSurvivor } from '../profiles/find-survivor.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import { SegmentKind } from '../segments/segment.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import type { MembershipsStore } from './memberships-store.ts';

type Deps = {
  segments: SegmentsStore;
  memberships: MembershipsStore;
  profiles: ProfilesStore;
  findSurvivor: FindSurvivor;
  cursors: Cursors;
};

const ContactSegment = z
  .object({
    id: z.string().describe('The ID of the segment.'),
    name: z.string().describe('The name of the segment.'),
    kind: SegmentKind.describe('How contacts become members.'),
    entered_at: z.iso.datetime().describe('When the contact entered the segment.'),
  })
  .meta({ id: 'ContactSegment' });

export function listContactSegments(app: Server, { segments, memberships, profiles, findSurvivor, cursors }: Deps) {
  app.get(
    '/v2/contacts/:id/segments',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'listContactSegments',
        summary: 'List the segments that a contact is in',
        description:
          'Returns the current segments of the contact, ordered by segment id. Changes of the contact appear within moments. `GET ' +
          '/v2/segments/:id/contacts/:contact_id` explains each.',
        params: z.object({ id: contactId }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(ContactSegment) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { limit, cursor } = request.query;
      const contactId = await knownId(accountId, request.params.id);
      const boundTo = ['segments of a contact', accountId, contactId];
      const after = cursor === undefined ? null : trustedId<'segment'>(cursors.decode(boundTo, cursor).id);
      const rows = await memberships.openPage(accountId, contactId, after, limit + 1);
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const found = await segments.find(
        accountId,
        shown.map(({ segmentId }) => segmentId),
      );
      const segmentOf = new Map(found.map((segment) => [segment.id, segment]));
      // The memberships of a deleted segment end in the background.
      const items = shown.flatMap(({ segmentId, enteredAt }) => {
        const segment = segmentOf.get(segmentId);
        return segment ? [{ id: segment.id, name: segment.name, kind: segment.kind, entered_at: enteredAt.toISOString() }] : [];
      });
      const pagination = {
        limit,
        has_more: last !== undefined,
        next_cursor: last ? cursors.encode(boundTo, { value: null, id: last.segmentId }) : null,
      };
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items, pagination } };
    },
  );

  /** The id itself, or that of the contact it was merged into. Throws NOT_FOUND. */
  async function knownId(accountId: AccountId, id: ContactId): Promise<ContactId> {
    if ((await profiles.findOne(accountId, id))?.contact) return id;
    const survivor = await findSurvivor(accountId, id);
    if (survivor === undefined) throw notFound();
    return survivor;
  }
}
