import { success } from '@mp/contracts/envelope';
import { formId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { type FormOf, FormResource } from './form.ts';
import type { FormsStore } from './forms-store.ts';

export function getForm(app: Server, { forms, formOf }: { forms: FormsStore; formOf: FormOf }) {
  app.get(
    '/v2/contacts/forms/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getForm',
        summary: 'Get a form',
        params: z.object({ id: formId.describe('The ID of the form.') }),
        response: { 200: success(FormResource) },
      },
    },
    async (request, reply) => {
      const form = await forms.get(request.principal.accountId, request.params.id);
      reply.header('etag', etagOf(form));
      return { success: true as const, data: formOf(form) };
    },
  );
}
