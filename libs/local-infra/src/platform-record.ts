import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writeJson } from './files.ts';
import { withLock } from './lock.ts';
import { isAlive, isProcessMark, markOf, type ProcessMark } from './process-mark.ts';

/** The platform process that runs from this checkout. scripts/install.mjs reads it too. */
export type PlatformRecord = ProcessMark & { url: string };

const pathIn = (dir: string) => join(dir, 'platform.json');

/** Registers this process as the platform of `dir`. If another one is running, returns that one instead. */
export function registerPlatform(dir: string, url: string): Promise<PlatformRecord | undefined> {
  return withLock(join(dir, 'platform.lock'), async () => {
    const running = runningPlatform(dir);
    if (!running) writeJson(pathIn(dir), { ...markOf(process.pid), url });
    return running;
  });
}

export const unregisterPlatform = (dir: string): void => rmSync(pathIn(dir), { force: true });

export function runningPlatform(dir: string): PlatformRecord | undefined {
  const record = readJson(pathIn(dir), isPlatformRecord);
  return record && isAlive(record) ? record : undefined;
}

function isPlatformRecord(value: unknown): value is PlatformRecord {
  return isProcessMark(value) && 'url' in value && typeof value.url === 'string';
}
