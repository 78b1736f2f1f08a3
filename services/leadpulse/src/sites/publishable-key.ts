import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'mp_pub_';
const pattern = /^mp_pub_[0-9a-f]{48}$/;

/** The prefix, 160 random bits in hex, and a CRC-32 of both. It is not a secret: every visitor of the site can read it. */
export function newPublishableKey(random: Buffer = randomBytes(20)): string {
  const text = prefix + random.toString('hex');
  return text + checksumOf(text);
}

/** Whether the text has the format and checksum of a publishable key, so that invented keys are rejected without a lookup. */
export const isPublishableKey = (text: string): boolean => pattern.test(text) && text.slice(-8) === checksumOf(text.slice(0, -8));

const checksumOf = (text: string) => crc32(text).toString(16).padStart(8, '0');
