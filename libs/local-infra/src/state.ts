import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Binary, isBinary } from './binary.ts';
import { readJson, writeJson } from './files.ts';
import { isAlive, isProcessMark, markOf, type ProcessMark } from './process-mark.ts';
import { type ServerName, serverNames } from './server.ts';

/** A server that is running or failed to start. */
export type ServerRecord = { port: number; process?: ProcessMark; ready: boolean; failures: number; error?: string };

/** The state of the keeper and its servers. Only the keeper writes it. */
export type KeeperState = { keeper: ProcessMark; servers: Partial<Record<ServerName, ServerRecord>> };

/** A server that a holder needs. */
export type Wish = { binary: Binary; port?: number };
export type Wishes = Partial<Record<ServerName, Wish>>;
export type Holder = ProcessMark & { wishes: Wishes };

const stateFile = (dir: string) => join(dir, 'infra.json');
const holdersFolder = (dir: string) => join(dir, 'holders');

export const readState = (dir: string): KeeperState | undefined => readJson(stateFile(dir), isKeeperState);
export const writeState = (dir: string, state: KeeperState): void => writeJson(stateFile(dir), state);

/** Registers this process as a holder. Returns a function that removes it. */
export function registerHolder(dir: string, wishes: Wishes): () => void {
  const mark = markOf(process.pid);
  // One process may register twice.
  const path = join(holdersFolder(dir), `${mark.pid}-${randomUUID().slice(0, 8)}`);
  const holder: Holder = { ...mark, wishes };
  writeJson(path, holder);
  return () => rmSync(path, { force: true });
}

/** The holders that are running. Removes those that ended without leaving. */
export function runningHolders(dir: string): Holder[] {
  const folder = holdersFolder(dir);
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder).flatMap((name) => {
    // Files that are being written have a dot in their name.
    if (name.includes('.')) return [];
    const path = join(folder, name);
    const holder = readJson(path, isHolder);
    if (holder && isAlive(holder)) return [holder];
    rmSync(path, { force: true });
    return [];
  });
}

function isHolder(value: unknown): value is Holder {
  return isProcessMark(value) && 'wishes' in value && isByServer(value.wishes, isWish);
}

function isWish(value: unknown): value is Wish {
  return isObject(value) && 'binary' in value && isBinary(value.binary) && (!('port' in value) || typeof value.port === 'number');
}

function isKeeperState(value: unknown): value is KeeperState {
  return (
    isObject(value) && 'keeper' in value && isProcessMark(value.keeper) && 'servers' in value && isByServer(value.servers, isServerRecord)
  );
}

function isServerRecord(value: unknown): value is ServerRecord {
  if (!isObject(value) || !('port' in value && 'ready' in value && 'failures' in value)) return false;
  const hasProcess = !('process' in value) || isProcessMark(value.process);
  return hasProcess && typeof value.port === 'number' && typeof value.ready === 'boolean' && typeof value.failures === 'number';
}

function isByServer<T>(value: unknown, is: (entry: unknown) => entry is T): value is Partial<Record<ServerName, T>> {
  return isObject(value) && Object.entries(value).every(([name, entry]) => serverNames.some((known) => known === name) && is(entry));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
