import { Moment } from '@mp/contracts/moment';
import { Permission, Scope } from '@mp/contracts/permissions';
import { Name } from '@mp/contracts/text';
import { z } from 'zod';
import { isAddressRange } from '../../credentials/ip-allow.ts';
import { ApiKey } from './api-key.ts';

export const KeyName = Name(100);

/** The fields that narrow what an API key or OAuth client may do. */
export const narrowing = {
  scopes: z.array(Scope).min(1).max(50).nullable().optional().describe('Scopes that narrow the permission. Null or omitted: all scopes.'),
  ip_allow: z
    .array(z.string().max(50).refine(isAddressRange, 'expected an address or a CIDR range'))
    .max(100)
    .optional()
    .describe('IP addresses and CIDR ranges the credential may be used from. Empty or omitted: any address.'),
};

export const CreateApiKeyBody = z.strictObject({
  name: KeyName.describe('A name that says what the key is for.'),
  permission: Permission,
  ...narrowing,
  expires_at: Moment.nullable().optional().describe('When the key expires. Null: never.'),
});

const readOnly = ApiKey.pick({
  id: true,
  prefix: true,
  last4: true,
  status: true,
  created_by: true,
  created_at: true,
  last_used_at: true,
  revoked_at: true,
  rotated_to: true,
});

/** Without `last_used_at`, which changes on its own and is ignored. */
export const readOnlyFields = Object.keys(readOnly.omit({ last_used_at: true }).shape);

export const UpdateApiKeyBody = z.strictObject({ ...CreateApiKeyBody.shape, ...readOnly.shape }).partial();

/** How long the replaced secret keeps working while its users switch over: up to seven days. */
export const RotateBody = z.strictObject({
  grace_seconds: z
    .number()
    .int()
    .min(0)
    .max(7 * 24 * 60 * 60)
    .default(24 * 60 * 60)
    .describe('How long the old secret keeps working beside the new one, in seconds. 0 revokes it immediately.'),
});
