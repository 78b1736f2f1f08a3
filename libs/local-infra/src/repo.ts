import { resolve } from 'node:path';

/** The root of this checkout. */
export const repoRoot = resolve(import.meta.dirname, '../../..');
