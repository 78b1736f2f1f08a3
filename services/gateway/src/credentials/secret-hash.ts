import { hash } from 'node:crypto';

/**
 * The name under which a secret is stored and cached. Keys and tokens carry 256 random bits, so a fast hash is enough;
 * a slow one is for what people choose.
 */
export const secretHash = (secret: string): string => hash('sha256', secret, 'base64url');
