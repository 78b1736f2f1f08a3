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
 * Mends two faults of the driver (6.16.0) that show when MongoDB is killed under load.
 *
 * A connection that closes while a command is written rejects that command: the driver writes to the socket and, when the
 * write does not go out at once, waits for `drain`, which a socket that was destroyed a moment before never emits.
 *
 * A connection that breaks fails its commands with the driver's own network error: the driver passes the socket's raw
 * error on, which it then neither labels nor retries, and in the middle of a commit takes for one of its own
 * (`hasErrorLabel is not a function`).
 */
export function mendConnections(prototype = Connection.prototype) {
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
      // The connection's own error says the same as the socket's, as a network error.
      throw this.error ?? error;
    } finally {
      this.off('close', onClose);
    }
  };
}

/** A caller that aborts gets its own reason. */
const asNetworkError = (error: Error) =>
  error instanceof MongoError || error.name === 'AbortError' ? error : new MongoNetworkError(error.message, { cause: error });
