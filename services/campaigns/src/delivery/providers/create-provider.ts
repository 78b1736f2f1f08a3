import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { CreateProviderBody, Provider } from './provider.ts';
import type { ProvidersStore } from './providers-store.ts';

export function createProvider(app: Server, { providers, transact }: { providers: ProvidersStore; transact: Transact }) {
  app.post(
    '/v2/campaigns/providers',
    {
      config: { scope: 'campaigns:write', outlivesGrants: true },
      schema: {
        operationId: 'createProvider',
        summary: 'Add an email provider',
        description:
          'Returns the URL to set as the webhook at the provider. Its reports settle emails in the ledger: `delivered`, `bounced`, `failed` ' +
          'or `complained`; hard bounces and complaints suppress the address. Each report is verified and counts once. Secrets are stored ' +
          'encrypted and never returned.',
        body: CreateProviderBody,
        response: { 201: success(Provider) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const provider = await providers.insert(tx, request.principal.accountId, request.body);
        return { status: 201, data: provider, location: `/v2/campaigns/providers/${provider.id}` };
      }),
  );
}
