import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@mp/contracts/errors';
import { z } from 'zod';

/** Length matters, not composition: no rules about digits and symbols (NIST SP 800-63B). */
export const Password = z.string().normalize('NFC').min(12, 'expected at least 12 characters').max(200);

/** About 0.1 s of one core and 32 MiB (OWASP: N = 2^15, r = 8, p = 3). Stored in each hash, so that it can be raised later. */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const hashBytes = 32;

/** Deliberately slow; concurrency is limited so that it cannot starve other requests. */
const maxConcurrent = 2;
const maxWaiting = 20;
let running = 0;
const waiting: (() => void)[] = [];

async function withLimit<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= maxConcurrent) {
    if (waiting.length >= maxWaiting)
      throw new ApiError('SERVICE_UNAVAILABLE', 'Too many people are signing in; try again.', { retryAfter: 2 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

function derive(password: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> {
  return withLimit(
    () =>
      new Promise((resolve, reject) =>
        scrypt(password, salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error ? reject(error) : resolve(key))),
      ),
  );
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Matches no password. Makes the check equally slow for unknown users. */
const unknownUserHash = [
  'scrypt',
  cost.N,
  cost.r,
  cost.p,
  randomBytes(16).toString('base64url'),
  randomBytes(hashBytes).toString('base64url'),
].join('$');

export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (hash ?? unknownUserHash).split('$');
  const expected = Buffer.from(key, 'base64url');
  const given = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return hash !== null && given.length === expected.length && timingSafeEqual(given, expected);
}
