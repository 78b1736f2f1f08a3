import { success } from '@mp/contracts/envelope';
import type { ClaimFirst } from '@mp/service-kit/claim-first';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { retryOnDuplicate } from '../contacts/retry-writes.ts';
import type { Suppress } from './suppress.ts';
import { AddSuppressionBody, type NewSuppression, suppressionOf } from './suppression.ts';

const BatchSuppressionsBody = z.strictObject({
  suppressions: z
    .array(z.record(z.string(), z.unknown()))
    .min(1)
    .max(1_000)
    .describe('The rows, each in the form of the body of `POST /v2/contacts/suppressions`.'),
  start_workflows: z
    .boolean()
    .default(true)
    .describe('Whether contacts whose status changes start runs of workflows. With false, they start none, at no later time.'),
});

const SuppressionResult = z.object({
  index: z.number().int(),
  status: z.enum(['created', 'unchanged', 'error']),
  id: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), path: z.string().optional() }).optional(),
});
type SuppressionResult = z.infer<typeof SuppressionResult>;

const SuppressionResults = z.object({
  results: z.array(SuppressionResult).describe('One result per row, in the order of the rows.'),
  counts: z.object({ created: z.number().int(), unchanged: z.number().int(), error: z.number().int() }),
});

/** Each suppression can change a contact, and a transaction of MongoDB has room for the contacts of this many. */
const chunkRows = 200;
const maxBatchBytes = 2 * 1024 * 1024;

type Row = { index: number; suppression: NewSuppression };

export function batchSuppressions(
  app: Server,
  { suppress, mongo, claimFirst }: { suppress: Suppress; mongo: Mongo; claimFirst: ClaimFirst },
) {
  app.post(
    '/v2/contacts/suppressions/batch',
    {
      config: { scope: 'contacts:write', bodyLimit: maxBatchBytes, itemsOnTheirOwn: true },
      schema: {
        operationId: 'batchSuppressions',
        summary: 'Suppress up to 1,000 addresses and domains',
        description:
          'Adds a suppression for each row, with its reason and when it was suppressed. An address or domain that is suppressed already ' +
          'stays as it is and is `unchanged`. An invalid row does not affect the others.',
        body: BatchSuppressionsBody,
        response: { 200: success(SuppressionResults) },
      },
    },
    (request, reply) =>
      claimFirst(request, reply, async () => {
        const { accountId } = request.principal;
        const { suppressions, start_workflows: startsWorkflows } = request.body;
        const origin = { correlationId: request.id, causationId: null, startsWorkflows };
        const checked = suppressions.map(checkRow);
        const results: SuppressionResult[] = checked.flatMap((row) => ('error' in row ? row : []));
        const rows = checked.flatMap((row) => ('error' in row ? [] : row));
        for (let start = 0; start < rows.length; start += chunkRows) {
          const chunk = rows.slice(start, start + chunkRows);
          const all = chunk.map(({ suppression }) => suppression);
          const added = await retryOnDuplicate(() => mongo.transaction(origin, (tx) => suppress.addAll(tx, accountId, all)));
          for (const [at, { suppression, isNew }] of added.entries())
            results.push({ index: chunk[at]?.index ?? 0, status: isNew ? 'created' : 'unchanged', id: suppression.id });
        }
        const count = (status: SuppressionResult['status']) => results.filter((result) => result.status === status).length;
        const counts = { created: count('created'), unchanged: count('unchanged'), error: count('error') };
        return { status: 200, data: { results: results.sort((a, b) => a.index - b.index), counts } };
      }),
  );
}

function checkRow(row: unknown, index: number): Row | (SuppressionResult & { error: object }) {
  const { data, error } = AddSuppressionBody.safeParse(row);
  if (data) return { index, suppression: suppressionOf(data) };
  const [fault] = error.issues;
  const path = `/${fault?.path.join('/') ?? ''}`;
  return { index, status: 'error', error: { code: 'VALIDATION_ERROR', message: fault?.message ?? 'invalid', path } };
}
