import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Reads a JSON file that `is` accepts; undefined when it is missing, truncated or of another shape. */
export function readJson<T>(path: string, is: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return is(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a file atomically: readers see the old or the new content. */
export function writeWhole(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, path);
}

export const writeJson = (path: string, value: unknown, mode?: number): void =>
  writeWhole(path, `${JSON.stringify(value, null, 2)}\n`, mode);

const maxLogBytes = 10 * 1024 * 1024;

/** Opens a log for appending; empties it first when it is too long. */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) truncateSync(path);
  return openSync(path, 'a', 0o600);
}

/** The last lines of a log, for an error message. */
export function tailOf(path: string, lines = 15): string {
  const bytes = 16 * 1024;
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(bytes);
      const read = readSync(file, buffer, 0, bytes, Math.max(0, fstatSync(file).size - bytes));
      return buffer.subarray(0, read).toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    return '(no log)';
  }
}
