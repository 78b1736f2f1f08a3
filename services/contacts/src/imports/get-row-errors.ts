import { Readable } from 'node:stream';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { stringify } from 'csv-stringify';
import { z } from 'zod';
import { guardFormula } from '../files/formulas.ts';
import type { ImportsStore } from './imports-store.ts';
import type { RowErrorsStore } from './row-errors-store.ts';

export function getRowErrors(app: Server, { imports, rowErrors }: { imports: ImportsStore; rowErrors: RowErrorsStore }) {
  app.get(
    '/v2/contacts/imports/:id/errors.csv',
    {
      config: { scope: 'contacts:read', answers: ['text/csv'] },
      schema: {
        operationId: 'getImportErrors',
        summary: 'Download the rows that failed',
        description: 'CSV with `row` (the first row after the header is 1), `field`, `code` and `message`; at most 100,000 rows.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await imports.get(accountId, request.params.id);
      const table = stringify({ header: true, columns: ['row', 'field', 'code', 'message'] });
      const source = Readable.from(rowsOf(rowErrors, accountId, id));
      source.once('error', (error) => table.destroy(error));
      source.pipe(table);
      return reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${id}-errors.csv"`).send(table);
    },
  );
}

async function* rowsOf(rowErrors: RowErrorsStore, accountId: string, id: string) {
  for await (const { row, path, code, message } of rowErrors.read(accountId, id))
    yield [row, path?.slice(1).replaceAll('/', '.') ?? '', code, guardFormula(message)];
}
