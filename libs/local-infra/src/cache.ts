import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { repoRoot } from './repo.ts';

/** Where fetched programs stay: the user's cache, so that every checkout shares them, or the checkout when there is no home. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folders = [join(base, 'marketing-platform'), join(repoRoot, '.data', 'cache')];
  const folder = folders.find(isWritable);
  if (folder === undefined) throw new Error(`Neither ${folders.join(' nor ')} can be written.`);
  return folder;
}

/** Where an earlier start left this program, if one did. */
export function fromCache(name: string): string | undefined {
  const path = join(cacheFolder(), name);
  return isReadable(path) ? path : undefined;
}

/**
 * Fetches one program into the cache: `fetch` works in an empty folder and answers where it put the program.
 * It appears in the cache whole or not at all, and two starts at once fetch it once.
 */
export async function cached(name: string, fetch: (folder: string) => Promise<string>, report: (line: string) => void): Promise<string> {
  const cache = cacheFolder();
  const target = join(cache, name);
  const onWait = () => report(`waiting for another start that is fetching ${name}`);
  return withLock(
    join(cache, `${name}.lock`),
    async () => {
      if (isReadable(target)) return target;
      const folder = mkdtempSync(join(cache, 'fetch-'));
      try {
        const fetched = await fetch(folder);
        chmodSync(fetched, 0o755);
        renameSync(fetched, target);
        return target;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    { waitMs: 300_000, onWait },
  );
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
