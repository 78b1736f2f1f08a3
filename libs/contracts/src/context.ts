import { z } from 'zod';
import { accountId } from './ids.ts';
import { type Keyring, sign, verify } from './keyring.ts';
import { Permission, Scope } from './permissions.ts';
import { Plan } from './plan.ts';
import { SendingLimits } from './sending-limits.ts';

/** The header that carries the caller's identity from the gateway to a service. The gateway strips it from client requests and signs it. */
export const contextHeader = 'x-mp-context';

/** Long enough for a queued request, short enough that a captured header is worthless. */
export const contextLifetimeMs = 60_000;

/** The caller's identity, as the gateway authenticated it. */
export const CallContext = z.object({
  account_id: accountId,
  principal_id: z.string().describe('ID of the API key, OAuth client or user.'),
  created_by: z
    .string()
    .optional()
    .describe('ID of the user, API key or OAuth client that created this API key or OAuth client, if known.'),
  permission: Permission,
  scopes: z.array(Scope).nullable().describe('null: not restricted to scopes.'),
  sending_limits: SendingLimits.nullable().optional().describe('What the role of the user may send. Null or absent: everything.'),
  plan: Plan.optional().describe('Plan of the account; absent from contexts signed by earlier releases.'),
  credential_ends_at: z
    .number()
    .int()
    .optional()
    .describe('Expiry of an access token in epoch milliseconds. Anything it creates expires no later.'),
  request_id: z.string(),
  expires_at: z.number().int().describe('Expiry of this context in epoch milliseconds.'),
});
export type CallContext = z.infer<typeof CallContext>;

/** Signs the context for exactly one method and path (with its query). */
export function signContext(keyring: Keyring, context: CallContext, method: string, path: string): string {
  return sign(keyring, Buffer.from(JSON.stringify(context)).toString('base64url'), `${method} ${path}`);
}

/** The context; undefined when it is forged, expired, or signed for another request. */
export function verifyContext(
  keyring: Keyring,
  header: unknown,
  { method, path, now }: { method: string; path: string; now: number },
): CallContext | undefined {
  if (typeof header !== 'string') return undefined;
  const text = verify(keyring, header, `${method} ${path}`);
  if (text === undefined) return undefined;
  const context = CallContext.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  return context.success && context.data.expires_at > now ? context.data : undefined;
}
