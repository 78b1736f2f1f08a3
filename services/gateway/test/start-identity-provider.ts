import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import Provider from 'oidc-provider';

type Person = { email?: string; email_verified?: boolean; name?: string; groups?: string[] };

export type TestIdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

const cookiesIn = (response: Response) => response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '');

/**
 * A real OpenID provider on this machine, with its own sign-in page: a person signs in with the subject as the login and any password, and
 * consents to everything.
 */
export async function startIdentityProvider(t: Pick<TestContext, 'after'>) {
  const people = new Map<string, Person>();
  const redirects: string[] = [];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

  const clientOf = () => ({ client_id: 'platform', client_secret: 'a secret of the client', redirect_uris: redirects });
  const create = () => {
    const provider = new Provider(issuer, {
      clients: [{ ...clientOf(), redirect_uris: [...redirects] }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      conformIdTokenClaims: false,
      findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) }),
      async loadExistingGrant({ oidc }) {
        const {
          client,
          session,
          provider: { Grant },
        } = oidc;
        const grant = new Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    return provider.callback();
  };
  let handle = create();
  server.on('request', (request, response) => handle(request, response));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.after(async () => {
    if (server.listening) await stop();
  });

  /** Signs in at the provider's page in a new browser. Returns the URL to which the provider sends the browser back. */
  async function signIn(url: string, subject: string): Promise<URL> {
    const jar = new Map<string, string>();
    let next = new URL(url);
    let body: URLSearchParams | undefined;
    for (let steps = 0; steps < 10; steps++) {
      const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
      const response = await fetch(next, { redirect: 'manual', headers, ...(body && { method: 'POST', body }) });
      for (const cookie of cookiesIn(response)) jar.set(cookie.split('=', 1)[0] ?? '', cookie.slice(cookie.indexOf('=') + 1));
      const location = response.headers.get('location');
      if (location === null) {
        const page = await response.text();
        const action = /<form[^>]+action="([^"]+)"/.exec(page)?.[1];
        if (action === undefined) throw new Error(`There is no form to sign in with: ${page.slice(0, 500)}`);
        next = new URL(action, next);
        body = new URLSearchParams({ prompt: 'login', login: subject, password: 'any' });
        continue;
      }
      body = undefined;
      next = new URL(location, next);
      if (next.origin !== issuer) return next;
    }
    throw new Error('The provider does not end.');
  }

  return {
    issuer,
    client: { client_id: 'platform', client_secret: clientOf().client_secret },
    people,
    signIn,
    stop,
    /** Registers the redirect URI of the platform. */
    allow(redirect_uri: string) {
      redirects.push(redirect_uri);
      handle = create();
    },
  };
}
