import { success } from '@mp/contracts/envelope';
import { ImportCompleted } from '@mp/contracts/events/contacts';
import type { Server } from '@mp/service-kit/create-server';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { cannotCancel, Import } from './import.ts';
import type { ImportsStore } from './imports-store.ts';

type Deps = { imports: ImportsStore; outbox: Outbox; transact: Transact; wake: () => void };

export function cancelImport(app: Server, { imports, outbox, transact, wake }: Deps) {
  app.post(
    '/v2/contacts/imports/:id/cancel',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'cancelImport',
        summary: 'Cancel an import',
        description:
          'Stops the import and removes its file. Rows that were already imported are kept, but start no further workflow runs; ' +
          'runs that have already started continue.',
        params: z.object({ id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(Import) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { id, status } = await imports.get(accountId, request.params.id, tx);
        const cancelled = await imports.cancel(tx, id);
        if (!cancelled) throw cannotCancel(status);
        const { dry_run, rows } = cancelled;
        await outbox.add(tx, ImportCompleted, accountId, { import_id: id, status: 'cancelled', dry_run, rows });
        // Removes the file.
        tx.afterCommit(wake);
        return { status: 200, data: cancelled };
      }),
  );
}
