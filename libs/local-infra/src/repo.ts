import { resolve } from 'node:path';

/** The checkout this file stands in. */
export const repoRoot = resolve(import.meta.dirname, '../../..');
