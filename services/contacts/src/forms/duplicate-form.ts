import { success } from '@mp/contracts/envelope';
import { formId } from '@mp/contracts/ids';
import { newId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { type Form, type FormOf, FormResource, formName } from './form.ts';
import type { FormsStore } from './forms-store.ts';
import { requireSendPermission } from './require-send-permission.ts';

type Deps = { forms: FormsStore; formOf: FormOf; transact: Transact };

export function duplicateForm(app: Server, { forms, formOf, transact }: Deps) {
  app.post(
    '/v2/contacts/forms/:id/duplicate',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'duplicateForm',
        summary: 'Duplicate a form',
        description: 'Creates an active form with the same content and settings, at version 1.',
        params: z.object({ id: formId.describe('The ID of the form.') }),
        body: z.strictObject({ name: formName.describe('The name of the copy, unique in the account.') }),
        response: { 201: success(FormResource) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const at = new Date().toISOString();
        const original = await forms.get(accountId, request.params.id, tx);
        requireMatch(request, original);
        const fresh = { version: 1, revision: 1, flooded_at: null, created_at: at, updated_at: at };
        requireSendPermission(request.principal, original);
        const copy: Form = { ...original, id: newId('form'), name: request.body.name, status: 'active', ...fresh };
        await forms.insert(tx, accountId, copy);
        return { status: 201, data: formOf(copy), location: `/v2/contacts/forms/${copy.id}`, etag: etagOf(copy) };
      }),
  );
}
