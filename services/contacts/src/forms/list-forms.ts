import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, includeTotal, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { type Form, type FormOf, FormStatus, FormSummary, whyNotConfirming } from './form.ts';
import type { FormsStore } from './forms-store.ts';

const Query = z.strictObject({
  ...listQuery,
  include: includeTotal,
  status: FormStatus.default('active').describe('Only forms with this status.'),
  sort: z
    .enum(['created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name'])
    .default('-created_at')
    .describe('The order; `-` means descending.'),
});

export function listForms(app: Server, { forms, formOf }: { forms: FormsStore; formOf: FormOf }) {
  app.get(
    '/v2/contacts/forms',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listForms',
        summary: 'List forms',
        description: 'Without their content; `GET /v2/contacts/forms/:id` returns it. Archived forms only with `status=archived`.',
        querystring: Query,
        response: { 200: page(FormSummary) },
      },
    },
    async (request, reply) => {
      const found = await forms.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      const summaryOf = (form: Form) => FormSummary.parse({ ...formOf(form), confirms_email: whyNotConfirming(form) === undefined });
      return { success: true as const, data: { ...found, items: found.items.map(summaryOf) } };
    },
  );
}
