import fastifyCookie from '@fastify/cookie';
import { ApiError, unknownPath } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import type { FastifyRequest } from 'fastify';
import { chooseAccount } from './choose-account.ts';
import { authorize } from './oauth/authorize.ts';
import { grantRoutes } from './oauth/grant-routes.ts';
import type { StopLinks } from './report-emails/stop-links.ts';
import { stopReportEmail } from './report-emails/stop-report-email.ts';
import { addPasskey } from './second-factors/add-passkey.ts';
import { addTotp } from './second-factors/add-totp.ts';
import { changeFactors } from './second-factors/change-factors.ts';
import { finishSignIn } from './second-factors/finish-sign-in.ts';
import { listFactors } from './second-factors/list-factors.ts';
import { createPasskeys } from './second-factors/passkeys.ts';
import { createProveFactor } from './second-factors/prove-factor.ts';
import { signInWithPasskey } from './second-factors/sign-in-with-passkey.ts';
import { stepUp } from './second-factors/step-up.ts';
import { createTotpSecrets } from './second-factors/totp.ts';
import { createAdmitIdentity } from './single-sign-on/admit-identity.ts';
import type { Discover } from './single-sign-on/discover.ts';
import { createFinishLink } from './single-sign-on/finish-link.ts';
import { finishSingleSignOn } from './single-sign-on/finish-single-sign-on.ts';
import type { InstallationProvider } from './single-sign-on/installation-provider.ts';
import { listSignInProviders } from './single-sign-on/list-sign-in-providers.ts';
import { createSignInProviders } from './single-sign-on/sign-in-providers.ts';
import { startSingleSignOn } from './single-sign-on/start-single-sign-on.ts';
import type { GatewayState } from './state.ts';
import { confirmEmail } from './users/confirm-email.ts';
import { forgottenPassword } from './users/forgotten-password.ts';
import { getSession } from './users/get-session.ts';
import { listSessions } from './users/list-sessions.ts';
import type { Mailer } from './users/mailer.ts';
import { createOpenSession } from './users/open-session.ts';
import { revokeSessions } from './users/revoke-sessions.ts';
import { setPasswordAndEmail } from './users/set-password-and-email.ts';
import { signIn } from './users/sign-in.ts';
import { signOut } from './users/sign-out.ts';
import { useSession } from './users/use-session.ts';

/**
 * Whether the request comes from one of our pages, or from no page at all. Browsers say so in `Sec-Fetch-Site`. Without it (old
 * browsers, plain HTTP), `Origin` is compared with the public URL and with the requested host.
 */
function isFromOurPage({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined || origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host;
}

type Config = {
  installationProviders: readonly InstallationProvider[];
  mongo: Mongo;
  publicUrl: string;
  mailer: Mailer;
  discover: Discover;
  contextKeys: Keyring;
  stopLinks: StopLinks;
};

/** Signing in to and out of the dashboard. For our own pages in a browser; not part of the public API. */
export function authRoutes(app: Server, state: GatewayState, config: Config) {
  const { stores, sessions: sessionCache, failedAuths, failedSignIns, startedSignIns, forgetSecret, forgetHolder } = state;
  const openSession = createOpenSession({ ...stores, ...config });
  const factorDeps = {
    ...{ ...stores, ...config, failedSignIns, totpSecrets: createTotpSecrets(config.contextKeys) },
    passkeys: createPasskeys({ ...stores, ...config }),
  };
  const proveFactor = createProveFactor(factorDeps);
  const admit = createAdmitIdentity({ ...stores, ...config, forgetHolder });
  const signInProviders = createSignInProviders(stores.identityProviders, config.installationProviders);
  const finishLink = createFinishLink({ signInProviders, admit });
  const deps = {
    ...{ ...factorDeps, openSession, proveFactor, admit, signInProviders, finishLink, sessionCache, failedAuths, startedSignIns },
    ...{ forgetSecret, forgetHolder, now: state.now, stopLinks: config.stopLinks },
  };

  void app.register(fastifyCookie);
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/auth/')) return;
    reply.header('cache-control', 'no-store');
    // Prevents login CSRF: another site could sign a user in to an account that is not theirs.
    if (request.method !== 'GET' && !isFromOurPage(request, config.publicUrl)) {
      throw new ApiError('FORBIDDEN', 'Only the pages of this platform may send this request.');
    }
  });
  for (const route of [
    ...[signIn, signOut, getSession, useSession, confirmEmail, listSessions, revokeSessions, setPasswordAndEmail, forgottenPassword],
    ...[chooseAccount, finishSignIn, signInWithPasskey, stepUp, listFactors, addTotp, addPasskey, changeFactors],
    ...[listSignInProviders, startSingleSignOn, finishSingleSignOn, authorize, grantRoutes, stopReportEmail],
  ])
    route(app, deps);
  app.all('/auth/*', { schema: { hide: true } }, ({ url }) => {
    throw unknownPath(url.split('?', 1)[0] ?? url);
  });
}
