import { success } from '@mp/contracts/envelope';
import { formId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { type FormOf, FormResource, revised } from './form.ts';
import type { FormsStore } from './forms-store.ts';
import { requireSendPermission } from './require-send-permission.ts';

type Deps = { forms: FormsStore; formOf: FormOf; transact: Transact };

const verbs = {
  archive: {
    status: 'archived',
    schema: {
      operationId: 'archiveForm',
      summary: 'Archive a form',
      description: 'The form accepts no submissions and is not listed. Links of confirmation emails that were sent keep working.',
    },
  },
  restore: {
    status: 'active',
    schema: { operationId: 'restoreForm', summary: 'Restore an archived form', description: 'The form accepts submissions again.' },
  },
} as const;

/** Archives and restores forms. Repeating either changes nothing. */
export function archiveForm(app: Server, { forms, formOf, transact }: Deps) {
  for (const [verb, { status, schema }] of Object.entries(verbs)) {
    app.post(
      `/v2/contacts/forms/:id/${verb}`,
      {
        config: { scope: 'contacts:write', ifMatch: true },
        schema: {
          ...schema,
          params: z.object({ id: formId.describe('The ID of the form.') }),
          body: z.strictObject({}),
          response: { 200: success(FormResource) },
        },
      },
      (request, reply) =>
        transact(request, reply, async (tx) => {
          const { accountId } = request.principal;
          const before = await forms.get(accountId, request.params.id, tx);
          requireMatch(request, before);
          if (verb === 'restore') requireSendPermission(request.principal, before);
          const after = revised(before, { ...before, status });
          if (after !== before) await forms.replace(tx, accountId, before, after);
          return { status: 200, data: formOf(after), etag: etagOf(after) };
        }),
    );
  }
}
