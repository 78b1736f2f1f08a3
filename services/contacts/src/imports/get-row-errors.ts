import { Readable } from 'node:stream';
import { errorColumnsBeside } from '@mp/contracts/import-columns';
import type { Server } from '@mp/service-kit/create-server';
import { guardFormula, unguardFormula } from '@mp/service-kit/formulas';
import { stringify } from 'csv-stringify';
import { z } from 'zod';
import type { ImportsStore } from './imports-store.ts';
import type { RowErrorsStore } from './row-errors-store.ts';

export function getRowErrors(app: Server, { imports, rowErrors }: { imports: ImportsStore; rowErrors: RowErrorsStore }) {
  app.get(
    '/v2/contacts/imports/:id/errors.csv',
    {
      config: { scope: 'contacts:read', produces: ['text/csv'] },
      schema: {
        operationId: 'getImportErrors',
        summary: 'Download the rows that failed',
        description:
          'CSV with the columns `row` (the first row after the header is 1), `field`, `code` and `message`, followed by the row as it ' +
          'was sent, including missing or extra cells. Rows of a CSV import can be corrected in this file and imported from it, with ' +
          'the same `mapping`. Rows of an NDJSON import are in one column, `line`; send the corrected lines as NDJSON. At most 100,000 ' +
          'rows. The sent rows are kept for seven days, their errors for 30.',
        params: z.object({ id: z.string() }),
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      const header = (await imports.headerOf(accountId, id)) ?? ['line'];
      const table = stringify();
      const source = Readable.from(linesOf(header, rowErrors.read(accountId, id)));
      source.once('error', (error) => table.destroy(error));
      source.pipe(table);
      return reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${id}-errors.csv"`).send(table);
    },
  );
}

async function* linesOf(header: readonly string[], errors: ReturnType<RowErrorsStore['read']>) {
  yield [...errorColumnsBeside(header), ...header.map(cellOf)];
  for await (const { row, path, code, message, cells } of errors) {
    // Extra cells are kept and missing ones not added, so that the row fails here as it did there.
    const sent = cells.length > 0 ? cells : header.map(() => '');
    yield [row, fieldOf(path ?? ''), code, guardFormula(message), ...sent.map(cellOf)];
  }
}

/** `address.city` for `/address/city`. */
const fieldOf = (path: string) => path.slice(1).replaceAll('/', '.');

/** The cell as sent, escaped with an apostrophe that an import removes, whether or not it already had one. */
const cellOf = (text: string) => guardFormula(unguardFormula(text));
