import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { type ClientSession, type Document, MongoError, MongoNetworkError } from 'mongodb';
import { wasRead, wasWritten } from './changes.ts';

type Options = { session?: ClientSession };
type Command = (ns: { db: string }, command: Document, options?: Options, responseType?: unknown) => Promise<Document>;

type Connection = EventEmitter & {
  command: Command;
  error: Error | null;
  writeCommand: (command: unknown, options: unknown) => Promise<void>;
  onError: (error: Error) => void;
};

const { Connection }: { Connection: { prototype: Connection } } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js');

/**
 * Works around two bugs of the driver (6.16.0) that occur when MongoDB is killed under load.
 *
 * A connection that closes while a command is written now rejects that command. The driver waits for `drain` when the write is
 * buffered, which a destroyed socket never emits.
 *
 * A broken connection now fails its commands with the driver's own network error. The driver passes on the raw socket error,
 * which it neither labels nor retries, and during a commit mistakes for one of its own (`hasErrorLabel is not a function`).
 */
export function patchConnections(prototype = Connection.prototype) {
  const { writeCommand, onError } = prototype;
  prototype.command = watched(prototype.command);

  prototype.onError = function (this: Connection, error) {
    onError.call(this, asNetworkError(error));
  };

  prototype.writeCommand = async function (this: Connection, command, options) {
    const { promise: closed, reject } = Promise.withResolvers<never>();
    const onClose = () => reject(this.error ?? new MongoNetworkError('The connection was closed.'));
    this.once('close', onClose);
    try {
      await Promise.race([writeCommand.call(this, command, options), closed]);
    } catch (error) {
      // The connection's error is the socket's error as a network error.
      throw this.error ?? error;
    } finally {
      this.off('close', onClose);
    }
  };
}

/** What open transactions have written. */
const uncommitted = new WeakMap<ClientSession, Set<string>>();

/**
 * Tells changes.ts what each command reads and writes, a transaction once it is committed. The driver's command monitoring would tell it
 * too, but parses every reply a second time.
 */
function watched(run: Command): Command {
  return async function (this: Connection, ns, command, options, responseType) {
    const { find, aggregate, distinct, count, findAndModify, insert, update, delete: remove } = command;
    const readFrom: unknown = find ?? aggregate ?? distinct ?? count ?? findAndModify;
    if (typeof readFrom === 'string') wasRead(`${ns.db}.${readFrom}`);
    const session = options?.session;
    try {
      const reply = await run.call(this, ns, command, options, responseType);
      const writtenTo: unknown = findAndModify ?? insert ?? update ?? remove;
      if (typeof writtenTo === 'string' && changesSomething(reply)) {
        const namespace = `${ns.db}.${writtenTo}`;
        if (session?.inTransaction()) uncommitted.set(session, (uncommitted.get(session) ?? new Set()).add(namespace));
        else wasWritten(namespace);
      }
      return reply;
    } finally {
      // Also after an error, which leaves open whether the transaction was committed.
      if (session && 'commitTransaction' in command) for (const namespace of uncommitted.get(session) ?? []) wasWritten(namespace);
      if (session && ('commitTransaction' in command || 'abortTransaction' in command)) uncommitted.delete(session);
    }
  };
}

/** An update that found nothing to change, or a claim that found no job, is not a change. */
const changesSomething = ({ n, nModified, upserted, lastErrorObject }: Document) =>
  lastErrorObject === undefined ? (nModified ?? n) > 0 || upserted !== undefined : lastErrorObject.n > 0;

/** A caller that aborts gets its own reason. */
const asNetworkError = (error: Error) =>
  error instanceof MongoError || error.name === 'AbortError' ? error : new MongoNetworkError(error.message, { cause: error });
