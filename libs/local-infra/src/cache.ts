import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { repoRoot } from './repo.ts';

/** The folder for downloaded programs: the user's cache, shared by all checkouts, or the checkout if that is not writable. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folders = [join(base, 'marketing-platform'), join(repoRoot, '.data', 'cache')];
  const folder = folders.find(isWritable);
  if (folder === undefined) throw new Error(`None of these folders is writable: ${folders.join(', ')}.`);
  return folder;
}

/** The path of this program if it is in the cache. */
export function fromCache(name: string): string | undefined {
  const path = join(cacheFolder(), name);
  return isReadable(path) ? path : undefined;
}

/**
 * Downloads a program to the cache. `fetch` gets an empty folder and returns the path of the program. The program appears in the cache
 * complete or not at all, and concurrent processes download it once.
 */
export async function cached(name: string, fetch: (folder: string) => Promise<string>, report: (line: string) => void): Promise<string> {
  const cache = cacheFolder();
  const target = join(cache, name);
  const onWait = () => report(`waiting for another process to download ${name}`);
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
