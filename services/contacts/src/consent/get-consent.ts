import { Consent, Contact, TopicConsents } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';

export const ContactConsent = z
  .object({
    contact_id: contactId,
    email: Consent.nullable().describe('null: unknown.'),
    sms: Consent.nullable(),
    topics: TopicConsents,
    status: Contact.shape.status.describe('The resulting email status, including suppressions.'),
    revision: Contact.shape.revision,
  })
  .meta({ id: 'ContactConsent' });

export const consentOf = ({ id, consent, status, revision }: Contact): z.output<typeof ContactConsent> => ({
  contact_id: id,
  email: consent.email,
  sms: consent.sms,
  topics: consent.topics ?? {},
  status,
  revision,
});

export function getConsent(app: Server, { contacts }: { contacts: ContactsStore }) {
  app.get(
    '/v2/contacts/:id/consent',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getConsent',
        summary: "Get a contact's consent",
        params: z.object({ id: contactId }),
        response: { 200: success(ContactConsent) },
      },
    },
    async (request, reply) => {
      const contact = await contacts.get(request.principal.accountId, request.params.id);
      return reply.header('etag', etagOf(contact)).send({ success: true, data: consentOf(contact) });
    },
  );
}
