import { randomBytes } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLocal } from '../../credentials/session-cookie.ts';
import { stateLifetimeMs } from './single-sign-on-states-store.ts';

const nameOf = (publicUrl: string) => (isLocal(publicUrl) ? 'mp_single_sign_on' : '__Host-mp_single_sign_on');

/** The secret of the browser in which a sign-in began. */
export function browserOf({ headers }: FastifyRequest, publicUrl: string): string | undefined {
  const value = parseCookie(headers.cookie ?? '')[nameOf(publicUrl)];
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** The secret of this browser. Several tabs have the same, so that none ends the sign-in of another one. */
export function markBrowser(request: FastifyRequest, reply: FastifyReply, publicUrl: string): string {
  const browser = browserOf(request, publicUrl) ?? randomBytes(32).toString('base64url');
  // Lax: the provider's page returns to us, and that is a navigation from another site.
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: !isLocal(publicUrl), maxAge: stateLifetimeMs / 1_000 } as const;
  reply.setCookie(nameOf(publicUrl), browser, options);
  return browser;
}
