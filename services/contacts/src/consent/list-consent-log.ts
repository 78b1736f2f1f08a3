import { Channel, Consent } from '@mp/contracts/contact';
import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { linkNext, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { Evidence } from './consent.ts';
import type { ConsentLogStore } from './consent-log-store.ts';

const ConsentEntry = z
  .object({
    id: z.string(),
    contact_id: z.string().describe('may be the id of a contact that was merged into this one'),
    channel: Channel,
    topic: z.string().nullable().describe('null: the channel as a whole'),
    before: Consent.nullable(),
    after: Consent.nullable().describe('null: forgotten'),
    outdated: Consent.nullable().describe('what was said and changed nothing, because the unsubscription that was known is newer'),
    evidence: Evidence.nullable(),
    revision: z.number().int().describe('of the contact after the change'),
    recorded_at: z.iso.datetime(),
  })
  .meta({ id: 'ConsentEntry' });

export function listConsentLog(app: Server, { contacts, consentLog }: { contacts: ContactsStore; consentLog: ConsentLogStore }) {
  app.get(
    '/v2/contacts/:id/consent/log',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listConsentLog',
        summary: "List the changes of a contact's consent",
        description:
          'Newest first; entries are added and never changed. What a contact had when it was created without a word on consent is the `before` of its first entry.',
        params: z.object({ id: z.string() }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(ConsentEntry) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await contacts.get(accountId, request.params.id);
      const { limit, cursor } = request.query;
      const found = await consentLog.page(accountId, await contacts.idsOf(accountId, id), { limit, cursor });
      linkNext(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
