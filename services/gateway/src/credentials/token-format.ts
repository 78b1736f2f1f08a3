import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The prefix of each kind of secret, so that a leaked one can be recognized. */
const prefixes = {
  ...{ key: 'mp_live_', token: 'mp_at_', clientSecret: 'mp_cs_', session: 'mp_se_' },
  ...{ code: 'mp_ac_', refreshToken: 'mp_rt_' },
} as const;
export type SecretKind = keyof typeof prefixes;
const kinds = ['key', 'token', 'clientSecret', 'session', 'code', 'refreshToken'] as const;

const secretLength = 43;
const checksumLength = 6;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const body = new RegExp(`^[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** The prefix, 256 random bits in base62, and a CRC-32 of both, so that malformed secrets are rejected without a lookup. */
export function newSecret(kind: SecretKind, random: Uint8Array = randomBytes(32)): string {
  const text = prefixes[kind] + base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), secretLength);
  return text + checksumOf(text);
}

/** The kind of secret, by prefix and length only. */
export const kindOfSecret = (text: string): SecretKind | undefined =>
  kinds.find((kind) => text.startsWith(prefixes[kind]) && text.length === prefixes[kind].length + secretLength + checksumLength);

/** Whether the text has the format and checksum of such a secret; not whether it exists. */
export function isWellFormedSecret(kind: SecretKind, text: string): boolean {
  const prefix = prefixes[kind];
  if (!text.startsWith(prefix) || !body.test(text.slice(prefix.length))) return false;
  return text.slice(-checksumLength) === checksumOf(text.slice(0, -checksumLength));
}

function checksumOf(text: string): string {
  let checksum = '';
  for (let rest = crc32(text); checksum.length < checksumLength; rest = Math.floor(rest / 62))
    checksum = digits.charAt(rest % 62) + checksum;
  return checksum;
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text;
}
