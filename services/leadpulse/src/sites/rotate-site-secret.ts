import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { KnownSites } from '../ingest/known-sites.ts';
import { type IdentitySecrets, newIdentitySecret } from './identity-secret.ts';
import { SiteWithSecret, viewOfSite } from './site.ts';
import type { SitesStore } from './sites-store.ts';

type Deps = { sites: SitesStore; knownSites: KnownSites; secrets: IdentitySecrets; transact: Transact };

export function rotateSiteSecret(app: Server, { sites, knownSites, secrets, transact }: Deps) {
  app.post(
    '/v2/leadpulse/sites/:id/rotate-secret',
    {
      config: { scope: 'leadpulse:write', outlivesGrants: true, ifMatch: true },
      schema: {
        operationId: 'rotateSiteSecret',
        summary: 'Replace the identity secret of a site',
        description: 'Tokens signed with the previous secret are rejected within ten seconds. The publishable key stays the same.',
        params: z.object({ id: z.string().describe('The ID of the site.') }),
        body: z.strictObject({}),
        response: { 200: success(SiteWithSecret) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const before = await sites.get(request.principal.accountId, request.params.id, tx);
          requireMatch(request, before);
          const secret = newIdentitySecret();
          const site = {
            ...before,
            sealed_secret: secrets.seal(before.id, secret),
            revision: before.revision + 1,
            updated_at: new Date(),
          };
          await sites.update(tx, site);
          tx.afterCommit(() => knownSites.forget(site.publishable_key));
          return { status: 200, data: { ...viewOfSite(site), identity_secret: secret }, etag: etagOf(site) };
        },
        { secret: true },
      ),
  );
}
