import { z } from 'zod';
import { Permission, Scope } from './permissions.ts';

const access = {
  ended: z.boolean().describe('revoked or removed'),
  permission: Permission,
  scopes: z.array(Scope).nullable().describe('null: not narrowed'),
  ip_allow: z.array(z.string()),
};

/** What a credential may do after a change, without its secret: enough to limit a restored one again. */
export const CredentialState = z.discriminatedUnion('of', [
  z.object({ of: z.literal('key'), ...access, expires_at: z.iso.datetime().nullable() }),
  z.object({
    of: z.literal('client'),
    ...access,
    secrets: z.array(
      z.object({ hash: z.string(), last4: z.string(), created_at: z.iso.datetime(), expires_at: z.iso.datetime().nullable() }),
    ),
  }),
  z.object({
    of: z.literal('user'),
    ended: z.boolean(),
    role: z.string(),
    password_print: z.string().nullable().describe('SHA-256 of the stored password hash: recognizes an old password, and reveals none'),
  }),
]);
export type CredentialState = z.infer<typeof CredentialState>;
