import { success } from '@mp/contracts/envelope';
import { formId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { CheckReferences } from './check-references.ts';
import { changeForm, type FormOf, FormResource, UpdateFormBody } from './form.ts';
import type { FormsStore } from './forms-store.ts';
import { requireSendPermission } from './require-send-permission.ts';

type Deps = { forms: FormsStore; formOf: FormOf; checkReferences: CheckReferences; transact: Transact };

export function updateForm(app: Server, { forms, formOf, checkReferences, transact }: Deps) {
  app.put(
    '/v2/contacts/forms/:id',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'updateForm',
        summary: 'Update a form',
        description:
          'Omitted fields keep their value; `null` clears a field. A change of what visitors see or of what a submission does is a new ' +
          'version. Send `If-Match` with the `ETag` to reject a stale update (optional).',
        params: z.object({ id: formId.describe('The ID of the form.') }),
        body: UpdateFormBody,
        response: { 200: success(FormResource) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      return transact(
        request,
        reply,
        async (tx) => {
          const before = await forms.get(accountId, id, tx);
          requireMatch(request, before);
          const after = changeForm(before, request.body);
          if (after !== before) {
            requireSendPermission(request.principal, after);
            await forms.replace(tx, accountId, before, after);
          }
          return { status: 200, data: formOf(after), etag: etagOf(after) };
        },
        {
          before: async () => {
            const before = await forms.get(accountId, id);
            await checkReferences(accountId, changeForm(before, request.body), before);
          },
        },
      );
    },
  );
}
