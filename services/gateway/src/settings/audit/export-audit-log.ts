import { Readable } from 'node:stream';
import type { Server } from '@mp/service-kit/create-server';
import { guardFormula } from '@mp/service-kit/formulas';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { AuditEntry, entryView } from './audit-entry.ts';
import { auditFilter, filterFrom } from './audit-filter.ts';
import type { AuditLogStore } from './audit-log-store.ts';
import type { AuditRow } from './audit-row.ts';

const columns = Object.keys(AuditEntry.shape);

const formats = {
  csv: {
    type: 'text/csv; charset=utf-8',
    header: stringify([columns]),
    line: (entry: AuditEntry) =>
      stringify([{ ...entry, details: JSON.stringify(entry.details) }], { columns, cast: { string: guardFormula } }),
  },
  ndjson: { type: 'application/x-ndjson', header: '', line: (entry: AuditEntry) => `${JSON.stringify(entry)}\n` },
};

async function* linesOf(rows: AsyncIterable<AuditRow>, { header, line }: (typeof formats)['csv' | 'ndjson']) {
  yield header;
  for await (const row of rows) yield line(entryView(row));
}

export function exportAuditLog(app: Server, { auditLog }: { auditLog: Pick<AuditLogStore, 'all'> }) {
  app.get(
    '/v2/settings/audit-log/export',
    {
      config: { scope: 'settings:read', produces: ['text/csv', 'application/x-ndjson'] },
      schema: {
        operationId: 'exportAuditLog',
        summary: 'Export the audit log, oldest first',
        description:
          'CSV with a header, or one JSON object per line. Text that a spreadsheet would run as a formula is escaped in CSV; NDJSON has what ' +
          'was written, which is what the hashes are of.',
        querystring: z.strictObject({ ...auditFilter, format: z.enum(['csv', 'ndjson']).default('csv').describe('Default: `csv`.') }),
      },
    },
    async (request, reply) => {
      const { format, ...filter } = request.query;
      const rows = auditLog.all(request.principal.accountId, filterFrom(filter));
      return reply
        .type(formats[format].type)
        .header('content-disposition', `attachment; filename="audit-log.${format}"`)
        .send(Readable.from(linesOf(rows, formats[format]), { objectMode: false }));
    },
  );
}
