import { Deleted, success } from '@mp/contracts/envelope';
import { formId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { FormsStore } from './forms-store.ts';

type Deps = { forms: FormsStore; transact: Transact };

export function deleteForm(app: Server, { forms, transact }: Deps) {
  app.delete(
    '/v2/contacts/forms/:id',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'deleteForm',
        summary: 'Delete a form',
        description:
          'The page is gone, and pages that embed the form can no longer submit it. Contacts, their consent and its evidence are kept, ' +
          'and links of confirmation emails that were sent keep working. To keep the form and its versions, archive it instead.',
        params: z.object({ id: formId.describe('The ID of the form.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const form = await forms.get(accountId, request.params.id, tx);
        requireMatch(request, form);
        await forms.remove(tx, accountId, form.id);
        return { status: 200, data: { id: form.id, deleted: true } };
      }),
  );
}
