import { randomUUID } from 'node:crypto';
import { contactId } from '@mp/contracts/ids';
import type { ContactId } from '@mp/ids';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

const maxLifetimeSeconds = 24 * 60 * 60;
const maxTokenLength = 2_048;

/** The lifetime of tokens in links of emails. Pages and mail scanners see them, so they identify one visitor only, and only briefly. */
const linkAudience = 'mp_link';
const linkLifetimeMs = 10 * 60_000;

const Claims = z.object({
  contact_id: contactId.min(1).optional(),
  external_id: z.string().min(1).optional(),
  email: z.string().min(1).optional(),
  sub: z.string().min(1).optional(),
  exp: z.number(),
  aud: z.unknown().optional(),
  jti: z.string().min(1).max(100).optional(),
});

type Identity = { contact_id?: ContactId | undefined; external_id?: string | undefined; email?: string | undefined };

/** Whom a token names. `once` is set if only one visitor may use it. */
export type TokenIdentity = { identity: Identity; once?: { id: string; expiresAt: number } };

const malformed = 'identify needs a token that your server signed with the identity secret of the site (a JWT, HS256)';

/**
 * The identity in a token that the customer's server signed. Returns an error message if the token is not valid. The
 * algorithm is fixed, so that a token cannot choose a weaker one.
 */
export async function identityIn(token: unknown, secret: string, now: number): Promise<TokenIdentity | string> {
  if (typeof token !== 'string' || token.length > maxTokenLength) return malformed;
  const verified = await jwtVerify(token, Buffer.from(secret), {
    algorithms: ['HS256'],
    requiredClaims: ['exp'],
    currentDate: new Date(now),
    clockTolerance: 10,
  }).catch((error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'ERR_JWT'));
  if (typeof verified === 'string') return verified === 'ERR_JWT_EXPIRED' ? 'the identity token has expired; sign a new one' : malformed;
  const claims = Claims.safeParse(verified.payload);
  if (!claims.success) return 'the identity token has an invalid claim; contact_id, external_id and email are text';
  const { contact_id, external_id, email, sub, exp, aud, jti } = claims.data;
  if (exp > now / 1_000 + maxLifetimeSeconds + 10) return 'the identity token must expire within 24 hours';
  const identity = { contact_id, external_id: external_id ?? sub, email };
  if (Object.values(identity).every((value) => value === undefined))
    return 'the identity token needs at least one of contact_id, external_id (or sub) and email';
  if (aud !== linkAudience) return { identity };
  return jti === undefined ? malformed : { identity, once: { id: jti, expiresAt: exp * 1_000 } };
}

/** A token for a link in an email, with the secret of the site that the link leads to. */
export const signLinkToken = (secret: string, contactId: ContactId, now: number): Promise<string> =>
  new SignJWT({ contact_id: contactId })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(linkAudience)
    .setJti(randomUUID())
    .setExpirationTime(new Date(now + linkLifetimeMs))
    .sign(Buffer.from(secret));
