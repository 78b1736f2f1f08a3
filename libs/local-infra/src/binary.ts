import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A program on this machine and the version it reports. */
export type Binary = { path: string; version: string };

const run = promisify(execFile);

export function isBinary(value: unknown): value is Binary {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    typeof value.path === 'string' &&
    'version' in value &&
    typeof value.version === 'string'
  );
}

/** Only ends a program that hangs: on a busy machine, a large one needs long to begin. */
const probeWithinMs = 120_000;

/** The program at `path`; undefined unless it runs here and reports its version. */
export async function probe(path: string): Promise<Binary | undefined> {
  if (!isExecutable(path)) return undefined;
  try {
    const { stdout, stderr } = await run(path, ['--version'], { timeout: probeWithinMs, env: { ...process.env, LC_ALL: 'C' } });
    const version = /\bv?(\d+\.\d+\.\d+)/.exec(stdout || stderr)?.[1];
    return version === undefined ? undefined : { path, version };
  } catch {
    return undefined;
  }
}

export function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** 7.0.14 and 7.0.2 are of the same series: they can open each other's files. */
export const seriesOf = (version: string): string => version.split('.').slice(0, 2).join('.');

export function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
