import { page } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { TimelineEntry, TimelineKind, type TimelineStore } from './timeline-store.ts';

const TimelineQuery = z.strictObject({ ...listQuery, kind: TimelineKind.optional() });

export function getTimeline(app: Server, { contacts, timeline }: { contacts: ContactsStore; timeline: TimelineStore }) {
  app.get(
    '/v2/contacts/:id/timeline',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getTimeline',
        summary: "Get a contact's timeline",
        description:
          'Returns what happened to a contact, newest first: tracked events, messages, consent changes, forms submitted and ' +
          'confirmed, segments entered and left, workflow runs and merges. New entries appear within moments; entries are kept for 400 days.',
        params: z.object({ id: contactId }),
        querystring: TimelineQuery,
        response: { 200: page(TimelineEntry) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await contacts.get(accountId, request.params.id);
      const found = await timeline.page(accountId, await contacts.idsOf(accountId, id), request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
