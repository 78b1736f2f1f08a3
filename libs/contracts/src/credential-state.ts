import { z } from 'zod';
import { Permission, Scope } from './permissions.ts';
import { SendingLimits } from './sending-limits.ts';

const access = {
  ended: z.boolean().describe('Whether it was revoked or deleted.'),
  permission: Permission,
  scopes: z.array(Scope).nullable().describe('null: not restricted to scopes.'),
  scopes_version: z.number().int().optional().describe('Absent from states of earlier releases, in which some scopes included others.'),
  ip_allow: z.array(z.string()),
};

/** The access a credential has after a change, without its secret. Enough to restrict a credential again after a restore. */
export const CredentialState = z.discriminatedUnion('of', [
  z.object({ of: z.literal('key'), ...access, expires_at: z.iso.datetime().nullable() }),
  z.object({
    of: z.literal('client'),
    ...access,
    redirect_uris: z.array(z.string()).optional().describe('Absent from states of earlier releases.'),
    confidential: z.boolean().optional().describe('Absent from states of earlier releases.'),
    secrets: z.array(
      z.object({
        ...{ hash: z.string(), last4: z.string(), created_at: z.iso.datetime(), expires_at: z.iso.datetime().nullable() },
        created_for: z.string().optional().describe('The user behind who made it, if known.'),
      }),
    ),
  }),
  z.object({
    of: z.literal('user'),
    ended: z.boolean(),
    role: z.string().describe('A built-in role, or the ID of a custom role.'),
    scopes: z.array(Scope).nullable().optional().describe('The scopes of the custom role. Absent from states of earlier releases.'),
    sending_limits: SendingLimits.nullable().optional().describe('The limits of the custom role. Absent from states of earlier releases.'),
    password_print: z.string().nullable().describe('SHA-256 of the stored password hash: identifies an old password without revealing it.'),
  }),
]);
export type CredentialState = z.infer<typeof CredentialState>;
