import { success } from '@mp/contracts/envelope';
import { segmentId } from '@mp/contracts/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { ClaimFirst } from '@mp/service-kit/claim-first';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { type AddMembers, requireStaticSegment } from '../segments/segment-members.ts';
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
  add_to_segment_id: segmentId
    .max(64)
    .optional()
    .describe('A static segment. Every contact of the rows is added to it, whether it is created, updated or unchanged.'),
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

type Deps = { upsertContacts: UpsertContacts; addMembers: AddMembers; broker: Pick<Broker, 'request'>; claimFirst: ClaimFirst };

export function batchContacts(app: Server, { upsertContacts, addMembers, broker, claimFirst }: Deps) {
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
        body: BatchContactsBody,
        response: { 200: success(BatchResults) },
      },
    },
    (request, reply) =>
      claimFirst(request, reply, async () => {
        const { match_on: matchOn, change_identifiers: changeIdentifiers, contacts: items, add_to_segment_id: segmentId } = request.body;
        const { accountId, id: by } = request.principal;
        if (segmentId !== undefined) await requireStaticSegment(broker, accountId, segmentId, '/add_to_segment_id');
        const origin = { correlationId: request.id, causationId: null };
        const results = await upsertContacts({
          accountId,
          origin,
          matching: { matchOn, changeIdentifiers },
          items,
        });
        const contactIds = [...new Set(results.flatMap((result) => ('id' in result ? [result.id] : [])))];
        if (segmentId !== undefined && contactIds.length > 0) await addMembers({ accountId, segmentId, contactIds, by, dryRun: false });
        const count = (status: string) => results.filter((result) => result.status === status).length;
        const counts = { created: count('created'), updated: count('updated'), unchanged: count('unchanged'), error: count('error') };
        return { status: 200, data: { results, counts } };
      }),
  );
}
