import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { ReadConsequences } from '../files/consequences.ts';
import { ImportDetail } from './import.ts';
import type { ImportsStore } from './imports-store.ts';

export function getImport(app: Server, { imports, readConsequences }: { imports: ImportsStore; readConsequences: ReadConsequences }) {
  app.get(
    '/v2/contacts/imports/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getImport',
        summary: 'Get an import',
        params: z.object({ id: z.string() }),
        response: { 200: success(ImportDetail) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const found = await imports.get(accountId, request.params.id);
      const consequences = await readConsequences(imports, accountId, found, found.rows.created + found.rows.updated);
      return { success: true as const, data: { ...found, consequences } };
    },
  );
}
