import { page } from '@mp/contracts/envelope';
import { formId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { FormVersion } from './form.ts';
import type { FormsStore } from './forms-store.ts';

export function listFormVersions(app: Server, { forms }: { forms: FormsStore }) {
  app.get(
    '/v2/contacts/forms/:id/versions',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listFormVersions',
        summary: 'List the versions of a form, newest first',
        description:
          'The consent log names the version that a visitor saw. To restore one, send its content with `PUT /v2/contacts/forms/:id`.',
        params: z.object({ id: formId.describe('The ID of the form.') }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(FormVersion) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await forms.get(accountId, request.params.id);
      const found = await forms.listVersions(accountId, id, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
