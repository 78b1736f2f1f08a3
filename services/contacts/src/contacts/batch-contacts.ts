import { success } from '@mp/contracts/envelope';
import type { ClaimFirst } from '@mp/service-kit/claim-first';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { changeIdentifiersText, MatchOn } from './matching.ts';
import type { UpsertContacts } from './upsert-contacts.ts';

const BatchContactsBody = z.strictObject({
  match_on: MatchOn.default('email'),
  change_identifiers: z.boolean().default(false).describe(changeIdentifiersText),
  contacts: z
    .array(z.record(z.string(), z.unknown()))
    .min(1)
    .max(1_000)
    .describe('The rows, each in the form of the body of `POST /v2/contacts`.'),
});

const BatchResult = z.object({
  index: z.number().int(),
  status: z.enum(['created', 'updated', 'unchanged', 'error']),
  id: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), path: z.string().optional() }).optional(),
});

const BatchResults = z.object({
  results: z.array(BatchResult).describe('One result per row, in the order of the rows.'),
  counts: z.object({ created: z.number().int(), updated: z.number().int(), unchanged: z.number().int(), error: z.number().int() }),
});

const maxBatchBytes = 10 * 1024 * 1024;

export function batchContacts(app: Server, { upsertContacts, claimFirst }: { upsertContacts: UpsertContacts; claimFirst: ClaimFirst }) {
  app.post(
    '/v2/contacts/batch',
    {
      config: { scope: 'contacts:write', bodyLimit: maxBatchBytes, itemsOnTheirOwn: true },
      schema: {
        operationId: 'batchContacts',
        summary: 'Create or update up to 1,000 contacts',
        description:
          'Creates or updates the contact of each row, found by `match_on`. A row whose identifiers belong to different contacts, or ' +
          'whose contact has a different value for a stronger identifier than the one that matched, fails with `CONFLICT` and changes ' +
          'no contact. An invalid row does not affect the others. Rows that change nothing are `unchanged`.',
        querystring: noQuery,
        body: BatchContactsBody,
        response: { 200: success(BatchResults) },
      },
    },
    (request, reply) =>
      claimFirst(request, reply, async () => {
        const { match_on: matchOn, change_identifiers: changeIdentifiers, contacts: items } = request.body;
        const origin = { correlationId: request.id, causationId: null };
        const results = await upsertContacts({
          accountId: request.principal.accountId,
          origin,
          matching: { matchOn, changeIdentifiers },
          items,
        });
        const count = (status: string) => results.filter((result) => result.status === status).length;
        const counts = { created: count('created'), updated: count('updated'), unchanged: count('unchanged'), error: count('error') };
        return { status: 200, data: { results, counts } };
      }),
  );
}
