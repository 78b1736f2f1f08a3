import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import type { CheckReferences } from './check-references.ts';
import { CreateFormBody, type FormOf, FormResource, newForm } from './form.ts';
import type { FormsStore } from './forms-store.ts';
import { requireSendPermission } from './require-send-permission.ts';

type Deps = { forms: FormsStore; formOf: FormOf; checkReferences: CheckReferences; transact: Transact };

export function createForm(app: Server, { forms, formOf, checkReferences, transact }: Deps) {
  app.post(
    '/v2/contacts/forms',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'createForm',
        summary: 'Create a form',
        description:
          'A form with which people sign up: on its own page, `/f/<id>`, or in the pages of `allowed_origins`, with a script ' +
          'tag (`src="…/f/embed.js"`, `data-form="<id>"`), HTML of your own (`POST /f/<id>`) or `fetch` (`POST /f/<id>/submissions`). Consent is ' +
          '`pending` until it is confirmed by email (`double_opt_in`).',
        body: CreateFormBody,
        response: { 201: success(FormResource) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const form = newForm(request.body);
      return transact(
        request,
        reply,
        async (tx) => {
          await forms.insert(tx, accountId, form);
          return { status: 201, data: formOf(form), location: `/v2/contacts/forms/${form.id}`, etag: etagOf(form) };
        },
        {
          before: async () => {
            requireSendPermission(request.principal, form);
            await checkReferences(accountId, form);
          },
        },
      );
    },
  );
}
