import { hash } from 'node:crypto';

/**
 * The hash by which a secret is stored and cached. Keys and tokens have 256 random bits, so a fast hash is enough; slow
 * hashes are for passwords.
 */
export const secretHash = (secret: string): string => hash('sha256', secret, 'base64url');
