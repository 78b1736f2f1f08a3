import { Contact } from '@mp/contracts/contact';
import { Pagination, success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { trustedId } from '@mp/ids';
import { attributeKeys, fitRule } from '@mp/rules/fit-rule';
import { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import type { ContactsStore } from './contacts-store.ts';
import { checkSearchable, contactAlone, ruleQuery } from './rule-query.ts';

const SearchBody = z.strictObject({
  rule: Rule,
  limit: z.number().int().min(1).max(100).default(50),
  cursor: listQuery.cursor,
});

const SearchResults = z.object({
  items: z.array(Contact),
  pagination: Pagination,
  scanned: z.number().int().describe('How many contacts were checked for this page.'),
});

/** The maximum number of contacts one request checks. A rule that matches few contacts gets shorter pages instead of longer waits. */
const maxScanned = 5_000;
const batchSize = 500;

export function searchContacts(
  app: Server,
  { contacts, attributes, cursors }: { contacts: ContactsStore; attributes: AttributesStore; cursors: Cursors },
) {
  app.post(
    '/v2/contacts/search',
    {
      config: { scope: 'contacts:read', reads: true },
      schema: {
        operationId: 'searchContacts',
        summary: 'Search contacts by a rule',
        description:
          'Returns the contacts that match a rule, newest first. Rules use the rule language of segments, limited to contact fields. ' +
          'One request checks at most 5,000 contacts, so a page can have fewer items than `limit`, or none, while `has_more` is true: ' +
          'continue with `next_cursor`. Conditions on `email`, `phone`, `tags`, `status`, `attributes.<key>` (`eq`, `in`, `exists`) and ' +
          '`created_at` that every match must satisfy use an index and make the search faster.',
        body: SearchBody,
        response: { 200: success(SearchResults) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { rule: given, limit, cursor } = request.body;
      checkSearchable(given);
      const { rule, misfits } = fitRule(given, await attributes.typesOf(accountId, attributeKeys(given)));
      if (misfits[0]) throw invalid(`/rule/${misfits[0].path.join('/')}`, 'wrong_type', misfits[0].message);
      const now = new Date();
      const { matches } = compileRule(rule);
      const query = ruleQuery(rule, now);
      const boundTo = ['search', accountId, rule];
      const from = cursor === undefined ? undefined : cursors.decode(boundTo, cursor);
      let after = from && { created_at: new Date(Number(from.value)), id: trustedId<'contact'>(from.id) };
      const items: Contact[] = [];
      let scanned = 0;
      let ended = false;
      while (items.length < limit && scanned < maxScanned && !ended) {
        const rows = await contacts.scan(accountId, { ...query, after, limit: batchSize });
        ended = rows.length < batchSize;
        for (const contact of rows) {
          scanned += 1;
          after = { created_at: new Date(contact.created_at), id: contact.id };
          if (matches({ contact, ...contactAlone }, now).matches) items.push(contact);
          if (items.length === limit) {
            ended &&= contact === rows.at(-1);
            break;
          }
        }
      }
      const hasMore = !ended && after !== undefined;
      const nextCursor = hasMore && after ? cursors.encode(boundTo, { value: after.created_at.getTime(), id: after.id }) : null;
      const pagination = { limit, has_more: nextCursor !== null, next_cursor: nextCursor };
      return { success: true as const, data: { items, pagination, scanned } };
    },
  );
}
