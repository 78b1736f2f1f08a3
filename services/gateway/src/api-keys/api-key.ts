import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Permission, Scope } from '@mp/contracts/permissions';
import { z } from 'zod';

/** Names the platform in every key, so that a leaked one can be recognised. */
const prefix = 'mp_live_';
const secretLength = 43;
const checksumLength = 6;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const pattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** `mp_live_`, 256 random bits in base62, and a CRC-32 of all before it: junk is recognised without asking anybody. */
export function newKeyText(random: Uint8Array = randomBytes(32)): string {
  const body = prefix + base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), secretLength);
  return body + base62(BigInt(crc32(body)), checksumLength);
}

/** Whether the text has a key's form and checksum. Says nothing about whether the key exists. */
export function isKeyText(text: string): boolean {
  if (!pattern.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text.slice(-checksumLength) === base62(BigInt(crc32(body)), checksumLength);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text;
}

export const ApiKeyStatus = z.enum(['active', 'revoked', 'expired']);

/** A key as the settings show it; its text is shown once, when it is made, and never stored. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The first 12 characters.'),
    last4: z.string(),
    permission: Permission,
    scopes: z.array(Scope).nullable().describe('null: not narrowed.'),
    status: ApiKeyStatus,
    ip_allow: z.array(z.string()).describe('Addresses and CIDR ranges it may be used from; empty: from anywhere.'),
    created_by: z.string().nullable().describe('The user or key that made it; null: the command line.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable().describe('Up to a minute late.'),
    revoked_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export type ApiKeyRow = {
  id: string;
  account_id: string;
  hash: string;
  prefix: string;
  last4: string;
  name: string;
  permission: Permission;
  scopes: Scope[] | null;
  ip_allow: string[];
  created_by: string | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

export function statusOf(key: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: Date): z.infer<typeof ApiKeyStatus> {
  if (key.revoked_at) return 'revoked';
  return key.expires_at && key.expires_at <= now ? 'expired' : 'active';
}

export const apiKeyView = (key: ApiKeyRow, now = new Date()): ApiKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  last4: key.last4,
  permission: key.permission,
  scopes: key.scopes,
  status: statusOf(key, now),
  ip_allow: key.ip_allow,
  created_by: key.created_by,
  created_at: key.created_at.toISOString(),
  expires_at: key.expires_at?.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
});
