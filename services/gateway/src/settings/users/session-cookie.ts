import { createHash } from 'node:crypto';

/** Off this machine always by TLS. On it there is none to speak of. */
export function isLocal(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** With `__Host-` a browser takes it from this very host and by TLS only: no sibling can set one that is sent to us. */
export const sessionCookie = (publicUrl: string) => (isLocal(publicUrl) ? 'mp_session' : '__Host-mp_session');

export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** Known from the session's token alone, which no page but ours can read or send along by itself. */
export const csrfToken = (sessionToken: string) => createHash('sha256').update(`csrf ${sessionToken}`).digest('base64url');
