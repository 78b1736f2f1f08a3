import { createHash } from 'node:crypto';

export const sessionCookie = 'mp_session';

export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** Known from the session's token alone, which no page but ours can read or send along by itself. */
export const csrfToken = (sessionToken: string) => createHash('sha256').update(`csrf ${sessionToken}`).digest('base64url');
