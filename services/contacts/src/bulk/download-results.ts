import { Readable } from 'node:stream';
import type { Server } from '@mp/service-kit/create-server';
import { guardFormula } from '@mp/service-kit/formulas';
import { stringify } from 'csv-stringify';
import { z } from 'zod';
import type { BulkJobsStore } from './bulk-jobs-store.ts';
import type { BulkResultsStore } from './bulk-results-store.ts';

export function downloadResults(app: Server, { jobs, results }: { jobs: BulkJobsStore; results: BulkResultsStore }) {
  app.get(
    '/v2/contacts/bulk/:id/results.csv',
    {
      config: { scope: 'contacts:read', produces: ['text/csv'] },
      schema: {
        operationId: 'getBulkResults',
        summary: 'Download the results of a bulk job',
        description:
          'CSV with one row for each contact processed so far, in id order: `contact_id`, `status` (`changed`, `unchanged` or `failed`), and ' +
          '`code` and `message`: why it failed, or why `request_confirmation` did not ask it.',
        params: z.object({ id: z.string() }),
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await jobs.get(accountId, request.params.id);
      const table = stringify();
      const source = Readable.from(linesOf(results.read(accountId, id)));
      source.once('error', (error) => table.destroy(error));
      source.pipe(table);
      return reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${id}-results.csv"`).send(table);
    },
  );
}

async function* linesOf(results: ReturnType<BulkResultsStore['read']>) {
  yield ['contact_id', 'status', 'code', 'message'];
  for await (const { id, status, code = '', message = '' } of results) yield [guardFormula(id), status, code, guardFormula(message)];
}
