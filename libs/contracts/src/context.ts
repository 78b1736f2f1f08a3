import { z } from 'zod';
import { type Keyring, sign, verify } from './keyring.ts';
import { Permission, Scope } from './permissions.ts';

/** The one header by which the gateway tells a service who is calling. Clients cannot send it: it is stripped, and it is signed. */
export const contextHeader = 'x-mp-context';

/** Long enough for a queued request, short enough that a captured header is worthless. */
export const contextLifetimeMs = 60_000;

/** Who is calling, as the gateway established it. */
export const CallContext = z.object({
  account_id: z.string(),
  principal_id: z.string().describe('the API key, token or user'),
  permission: Permission,
  scopes: z.array(Scope).nullable().describe('null: not narrowed'),
  credential_ends_at: z.number().int().optional().describe('epoch milliseconds; of an access token: what it makes does not outlive it'),
  request_id: z.string(),
  expires_at: z.number().int().describe('epoch milliseconds'),
});
export type CallContext = z.infer<typeof CallContext>;

/** Signs the context for exactly one method and path (with its query). */
export function signContext(keyring: Keyring, context: CallContext, method: string, path: string): string {
  return sign(keyring, Buffer.from(JSON.stringify(context)).toString('base64url'), `${method} ${path}`);
}

/** The context, or undefined when it is forged, for another request, or expired. */
export function verifyContext(keyring: Keyring, header: unknown, method: string, path: string, now: number): CallContext | undefined {
  if (typeof header !== 'string') return undefined;
  const text = verify(keyring, header, `${method} ${path}`);
  if (text === undefined) return undefined;
  const context = CallContext.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  return context.success && context.data.expires_at > now ? context.data : undefined;
}
