import { createHash } from 'node:crypto';

/** Whether the platform runs on this machine over plain HTTP; everywhere else cookies require TLS. */
export function isLocal(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** With `__Host-`, browsers accept the cookie only from this host and over TLS, so a sibling domain cannot set it. */
export const sessionCookie = (publicUrl: string) => (isLocal(publicUrl) ? 'mp_session' : '__Host-mp_session');

/** Derived from the session token, which other sites cannot read. */
export const csrfToken = (sessionToken: string) => createHash('sha256').update(`csrf ${sessionToken}`).digest('base64url');

/** The cookie of a browser that has proven the first factor, but neither chosen the account nor proven the second factor: not a session. */
export const stepCookie = (publicUrl: string) => (isLocal(publicUrl) ? 'mp_second_factor' : '__Host-mp_second_factor');

/** Of both cookies. */
export const cookieOptions = (publicUrl: string) =>
  ({ path: '/', httpOnly: true, sameSite: 'strict', secure: !isLocal(publicUrl) }) as const;
