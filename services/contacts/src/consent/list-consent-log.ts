import { Channel, Consent } from '@mp/contracts/contact';
import { page } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { Evidence } from './consent.ts';
import type { ConsentLogStore } from './consent-log-store.ts';

/** Forms of earlier versions stored longer sources than a request may have. */
const StoredEvidence = Evidence.extend({ source: z.string().optional().describe('Where consent was given.') });

const ConsentEntry = z
  .object({
    id: z.string(),
    contact_id: contactId.describe('The contact at that time: this one, or one that was later merged into it.'),
    channel: Channel,
    topic: z.string().nullable().describe('null: the whole channel.'),
    before: Consent.nullable(),
    after: Consent.nullable().describe('null: cleared.'),
    outdated: Consent.nullable().describe('A consent that had no effect because the contact had unsubscribed later.'),
    evidence: StoredEvidence.nullable(),
    revision: z.number().int().describe('The revision of the contact after the change.'),
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
        summary: "List a contact's consent changes",
        description:
          'Returns consent changes newest first. Entries are never changed. If a contact was created without explicit consent, its ' +
          'initial consent is the `before` of its first entry.',
        params: z.object({ id: contactId }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(ConsentEntry) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await contacts.get(accountId, request.params.id);
      const { limit, cursor } = request.query;
      const found = await consentLog.page(accountId, await contacts.idsOf(accountId, id), { limit, cursor });
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
