import { allowsOrigin } from '@mp/contracts/origin';
import { VisitorToken } from '@mp/contracts/requests/leadpulse';
import type { Broker } from '@mp/service-kit/broker';
import type { IdentitySecrets } from './identity-secret.ts';
import { signLinkToken } from './identity-token.ts';
import type { SitesStore } from './sites-store.ts';

type Deps = { broker: Pick<Broker, 'reply'>; sites: Pick<SitesStore, 'all'>; secrets: IdentitySecrets };

/** Replies with the token that a link in an email carries to a page of the account. Other pages get none, because it names a contact. */
export const replyToVisitorToken =
  ({ broker, sites, secrets }: Deps) =>
  () =>
    broker.reply(VisitorToken, async ({ account_id, contact_id, url }) => {
      if (!URL.canParse(url)) return { token: null };
      const { origin } = new URL(url);
      const site = (await sites.all(account_id)).find(({ origins }) => allowsOrigin(origins, origin));
      const secret = site && secrets.unseal(site.id, site.sealed_secret);
      return { token: secret === undefined ? null : await signLinkToken(secret, contact_id, Date.now()) };
    });
