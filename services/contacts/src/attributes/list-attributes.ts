import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { AttributeType } from './attribute-type.ts';
import type { AttributesStore } from './attributes-store.ts';
import { countAttributes } from './count-attributes.ts';

const Attribute = z
  .object({
    key: z.string(),
    type: AttributeType.describe('The type of the first value of the key; every later value must have it too.'),
    count: z.number().int().nullable().describe('How many contacts have a value; null if not counted yet.'),
    counted_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Attribute' });

type Deps = { attributes: AttributesStore; contacts: ContactsStore; cursors: Cursors };

export function listAttributes(app: Server, { attributes, contacts, cursors }: Deps) {
  app.get(
    '/v2/contacts/attributes',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listAttributes',
        summary: 'List attribute keys',
        description:
          'Returns every attribute key of the account, with its type and the number of contacts that have it. Counts older than a minute are refreshed, for up to one second per request; `counted_at` shows their age.',
        querystring: z.strictObject(listQuery),
        response: { 200: page(Attribute) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { limit, cursor } = request.query;
      const boundTo = ['attributes', accountId];
      const after = cursor === undefined ? null : cursors.decode(boundTo, cursor).id;
      const rows = await attributes.page(accountId, after, limit + 1);
      const shown = await countAttributes({ attributes, contacts }, accountId, rows.slice(0, limit));
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const pagination = {
        limit,
        has_more: last !== undefined,
        next_cursor: last ? cursors.encode(boundTo, { value: null, id: last.key }) : null,
      };
      addNextLink(request, reply, pagination);
      const items = shown.map(({ created_at, counted_at, ...attribute }) => ({
        ...attribute,
        counted_at: counted_at?.toISOString() ?? null,
        created_at: created_at.toISOString(),
      }));
      return { success: true as const, data: { items, pagination } };
    },
  );
}
