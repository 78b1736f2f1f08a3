import type { Server } from '@mp/service-kit/create-server';
import type { SignInProviders } from './sign-in-providers.ts';

/** The providers that the sign-in page offers to everybody. Those of accounts are found by email address, and not listed. */
export function listSignInProviders(app: Server, { signInProviders }: { signInProviders: SignInProviders }) {
  const providers = signInProviders.ofInstallation.map(({ id, name }) => ({ id, name }));
  app.get('/auth/single-sign-on', { schema: { hide: true } }, () => ({ success: true, data: { providers } }));
}
