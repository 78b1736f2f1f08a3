import { Readable } from 'node:stream';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { FileChunksStore } from '../files/file-chunks-store.ts';
import type { ExportFormat } from './export.ts';
import type { ExportsStore } from './exports-store.ts';

const mediaTypes: Record<ExportFormat, string> = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };

type Deps = { exports: ExportsStore; files: FileChunksStore; mongo: Pick<Mongo, 'transaction'>; audit: Audit };

export function downloadExport(app: Server, { exports, files, mongo, audit }: Deps) {
  app.get(
    '/v2/contacts/exports/:id/file',
    {
      config: { scope: 'contacts:export', produces: ['text/csv', 'application/x-ndjson'] },
      schema: {
        operationId: 'downloadExport',
        summary: 'Download the file of an export',
        description: 'CSV or NDJSON, depending on the `format` of the export.',
        params: z.object({ id: z.string() }),
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id, status, format, bytes, rows } = await exports.get(accountId, request.params.id);
      if (status !== 'completed')
        throw new ApiError('INVALID_STATE', `The export is ${status}; its file is available once the status is completed.`);
      // Before the first byte, so that no file leaves without its entry in the audit log.
      await mongo.transaction({ correlationId: request.id, causationId: null }, (tx) =>
        audit(tx, request.principal, { action: 'contact_export.downloaded', target_id: id, details: { rows } }),
      );
      return reply
        .type(mediaTypes[format])
        .header('content-length', bytes)
        .header('content-disposition', `attachment; filename="${id}.${format}"`)
        .send(Readable.from(files.read(accountId, id, bytes), { objectMode: false }));
    },
  );
}
