import { Moment } from '@mp/contracts/moment';
import { Permission, Scope } from '@mp/contracts/permissions';
import { Name } from '@mp/contracts/text';
import { z } from 'zod';
import { isAddressRange } from '../../credentials/ip-allow.ts';
import { ApiKey } from './api-key.ts';

export const KeyName = Name(100);

/** What a key, and an OAuth client just as well, may be narrowed to. */
export const narrowing = {
  scopes: z.array(Scope).min(1).max(50).nullable().optional().describe('Narrow the permission; null or left out: they do not.'),
  ip_allow: z
    .array(z.string().max(50).refine(isAddressRange, 'expected an address or a CIDR range'))
    .max(100)
    .optional()
    .describe('Addresses and CIDR ranges it may be used from; empty or left out: from anywhere.'),
};

export const CreateApiKeyBody = z.strictObject({
  name: KeyName.describe('What it is for; shown in the list.'),
  permission: Permission,
  ...narrowing,
  expires_at: Moment.nullable().optional().describe('When it ends by itself.'),
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

export const readOnlyMembers = Object.keys(readOnly.shape);

export const UpdateApiKeyBody = z.strictObject({ ...CreateApiKeyBody.shape, ...readOnly.shape }).partial();

/** How long what is replaced goes on working, so that whoever uses it can change over: at once to seven days. */
export const RotateBody = z.strictObject({
  grace_seconds: z
    .number()
    .int()
    .min(0)
    .max(7 * 24 * 60 * 60)
    .default(24 * 60 * 60)
    .describe('How long the old one goes on working beside the new one; 0: it ends now.'),
});
