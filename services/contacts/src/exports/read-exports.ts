import { Readable } from 'node:stream';
import { page, success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { linkNext, listQuery, noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { FileChunksStore } from '../files/file-chunks-store.ts';
import { Export, type ExportFormat } from './export.ts';
import type { ExportsStore } from './exports-store.ts';

const mediaTypes: Record<ExportFormat, string> = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };

export function listExports(app: Server, { exports }: { exports: ExportsStore }) {
  app.get(
    '/v2/contacts/exports',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listExports',
        summary: 'List exports',
        description: 'Newest first, until their files are gone.',
        querystring: z.strictObject(listQuery),
        response: { 200: page(Export) },
      },
    },
    async (request, reply) => {
      const found = await exports.list(request.principal.accountId, request.query);
      linkNext(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}

export function getExport(app: Server, { exports }: { exports: ExportsStore }) {
  app.get(
    '/v2/contacts/exports/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getExport',
        summary: 'Read an export',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(Export) },
      },
    },
    async (request) => ({ success: true as const, data: await exports.get(request.principal.accountId, request.params.id) }),
  );
}

export function downloadExport(app: Server, { exports, files }: { exports: ExportsStore; files: FileChunksStore }) {
  app.get(
    '/v2/contacts/exports/:id/file',
    {
      config: { scope: 'contacts:read', answers: ['text/csv', 'application/x-ndjson'] },
      schema: {
        operationId: 'downloadExport',
        summary: "Download an export's file",
        description: 'CSV or lines of JSON, as the export was made.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id, status, format, bytes } = await exports.get(accountId, request.params.id);
      if (status !== 'completed') throw new ApiError('INVALID_STATE', `The export is ${status}; its file is there once it is completed.`);
      return reply
        .type(mediaTypes[format])
        .header('content-length', bytes)
        .header('content-disposition', `attachment; filename="${id}.${format}"`)
        .send(Readable.from(files.read(accountId, id, bytes), { objectMode: false }));
    },
  );
}
