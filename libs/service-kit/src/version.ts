import { createRequire } from 'node:module';
import { z } from 'zod';

/** The version of the platform; all its packages have the same. */
export const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('../package.json'));
