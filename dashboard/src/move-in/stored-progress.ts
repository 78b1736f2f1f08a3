import { maxPauseMs, Written } from '@mp/move-in/state';
import { z } from 'zod';

/** An import that has begun, so that it can resume after the page was closed. The file itself is not kept. */
const Stored = z.object({ system: z.string(), file: z.string(), identity: z.string(), started_at: z.iso.datetime(), written: Written });
export type Stored = z.infer<typeof Stored>;

/** Identifies the import with this file. A file that was changed is another one. */
export const identityOf = (system: string, { name, size, lastModified }: File) => JSON.stringify([system, name, size, lastModified]);

export function readProgress(key: string): Stored | undefined {
  try {
    const { data } = Stored.safeParse(JSON.parse(localStorage.getItem(key) ?? 'null'));
    return data && Date.now() - Date.parse(data.started_at) < maxPauseMs.file ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Throws if it cannot be stored: an import that could not resume must not begin. */
export const writeProgress = (key: string, stored: Stored) => localStorage.setItem(key, JSON.stringify(stored));

export const removeProgress = (key: string) => localStorage.removeItem(key);
