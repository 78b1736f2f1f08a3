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
  contacts: z.array(z.record(z.string(), z.unknown())).min(1).max(1_000).describe('Each as the body of `POST /v2/contacts`.'),
});

const BatchResult = z.object({
  index: z.number().int(),
  status: z.enum(['created', 'updated', 'unchanged', 'error']),
  id: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), path: z.string().optional() }).optional(),
});

const BatchResults = z.object({
  results: z.array(BatchResult).describe('One per row, in their order.'),
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
          'Each row is created or updated by `match_on`. A row whose identifiers belong to different contacts, or whose contact has another ' +
          'value of a stronger identifier than the one it was matched on, fails with `CONFLICT`; it overwrites neither. A wrong row fails ' +
          'alone; rows that change nothing write nothing.',
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
