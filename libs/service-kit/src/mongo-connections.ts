import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { MongoError, MongoNetworkError } from 'mongodb';

type Connection = EventEmitter & {
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

/** A caller that aborts gets its own reason. */
const asNetworkError = (error: Error) =>
  error instanceof MongoError || error.name === 'AbortError' ? error : new MongoNetworkError(error.message, { cause: error });
