import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import type { Suppress } from './suppress.ts';
import { AddSuppressionBody, Suppression, suppressionOf } from './suppression.ts';

export function addSuppression(app: Server, { suppress, transact }: { suppress: Suppress; transact: Transact }) {
  app.post(
    '/v2/contacts/suppressions',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'addSuppression',
        summary: 'Suppress an address or a domain',
        description:
          'Contacts with this address or domain are no longer emailed, regardless of consent. Returns 201, or 200 with the existing ' +
          'suppression, unchanged.',
        body: AddSuppressionBody,
        response: { 200: success(Suppression), 201: success(Suppression) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { suppression, isNew } = await suppress.add(tx, request.principal.accountId, suppressionOf(request.body));
        if (!isNew) return { status: 200, data: suppression };
        return { status: 201, data: suppression, location: `/v2/contacts/suppressions/${suppression.id}` };
      }),
  );
}
