import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { ContactId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { transientError } from '@mp/service-kit/mongo';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { consentsAtMerge, dateRepeatedConsents } from '../consent/date-repeated-consents.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { LoadContext } from './account-context.ts';
import { changeContact, newContact } from './contact.ts';
import { CreateContactBody, type Identity } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';
import { changeIdentifiersText, contradicted, contradiction, MatchOn, matchedOn, spelledAs, trueOrFalse } from './matching.ts';
import { changedDraft, createdDraft, hasNews, type SaveContacts } from './save-contacts.ts';

const UpsertQuery = z.strictObject({
  match_on: MatchOn.extract(['email', 'external_id'])
    .default('email')
    .describe(
      'The identifier used to find the contact. `email`: the email, or without one the external_id, or without either the phone. ' +
        '`external_id`: only the external_id, which is then required.',
    ),
  change_identifiers: trueOrFalse.describe(changeIdentifiersText),
});

type Deps = { contacts: ContactsStore; merges: MergesStore; loadContext: LoadContext; saveContacts: SaveContacts; transact: Transact };

export function upsertContact(app: Server, { contacts, merges, loadContext, saveContacts, transact }: Deps) {
  app.put(
    '/v2/contacts',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'upsertContact',
        summary: 'Create or update a contact',
        description:
          'Finds the contact by `match_on` and updates it like `PUT /v2/contacts/:id` (200), or creates it (201). Returns 409 if the ' +
          'identifiers belong to different contacts, or if the contact has a different value for a stronger identifier than the one that ' +
          'matched. An update that changes nothing does not create a new revision.',
        querystring: UpsertQuery,
        body: CreateContactBody,
        response: { 200: success(Contact), 201: success(Contact) },
      },
    },
    (request, reply) => {
      let hasRetried = false;
      /** The contact may have been created between our read and our write; then it can be found and updated. */
      function retryOnce(error: unknown): never {
        if (hasRetried || !(error instanceof ApiError && error.code === 'CONFLICT')) throw error;
        hasRetried = true;
        throw transientError('the contact may have been created concurrently');
      }
      return transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { body } = request;
        const { match_on: matchOn, change_identifiers: changeIdentifiers } = request.query;
        const on = matchedOn(body, matchOn);
        if (!on) throw invalid(`/${matchOn}`, 'required', `${matchOn} is required, because it is used to find the contact.`);
        const [before] = await contacts.findByIdentities(tx, accountId, [{ [on]: body[on] }]);
        requireMatch(request, before);
        const nameExisting = mayRead(request.principal, 'contacts:read');
        const context = await loadContext(accountId, before ? [before, body] : [body]);
        if (!before) {
          const contact = newContact(body, context);
          await saveContacts(tx, accountId, { context, drafts: [createdDraft(contact, body.consent)], nameExisting }).catch(retryOnce);
          return { status: 201, data: contact, location: `/v2/contacts/${contact.id}`, etag: etagOf(contact) };
        }
        const other = changeIdentifiers ? undefined : contradicted(body, before, on);
        if (other) throw otherIdentifier(other, on, before.id, nameExisting);
        const atMerge = await consentsAtMerge(merges, tx, accountId, { ids: [before.id], bodies: [body.consent] });
        const consent = dateRepeatedConsents(before.consent, body.consent, atMerge.get(before.id));
        const { contact, changed } = changeContact(before, { ...spelledAs(before, body, on), consent }, context);
        const draft = changedDraft(before, contact, { changed, body: consent });
        if (hasNews(draft)) await saveContacts(tx, accountId, { context, drafts: [draft], nameExisting });
        return { status: 200, data: contact, etag: etagOf(contact) };
      });
    },
  );
}

const otherIdentifier = (name: Identity, on: Identity, by: ContactId, nameExisting: boolean) =>
  new ApiError('CONFLICT', contradiction(name, on, nameExisting ? by : 'The contact'), {
    details: [
      {
        path: `/${name}`,
        code: 'other_identifier',
        message: `The contact has a different ${name}.`,
        ...(nameExisting && { existing_id: by }),
      },
    ],
  });
