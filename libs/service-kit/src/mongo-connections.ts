import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';

type Connection = EventEmitter & { error: Error | null; writeCommand: (command: unknown, options: unknown) => Promise<void> };

const { Connection }: { Connection: { prototype: Connection } } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js');

/**
 * A connection that closes while a command is written rejects that command.
 *
 * The driver (6.16.0) writes to the socket and, when the write does not go out at once, waits for `drain`. A socket that
 * was destroyed a moment before never drains, so whoever asked would wait for ever: seen when MongoDB is killed under load.
 */
export function endWritesWithTheirConnection(prototype = Connection.prototype) {
  const { writeCommand } = prototype;
  prototype.writeCommand = async function (this: Connection, command, options) {
    const { promise: closed, reject } = Promise.withResolvers<never>();
    const onClose = () => reject(this.error ?? new Error('The connection was closed.'));
    this.once('close', onClose);
    try {
      await Promise.race([writeCommand.call(this, command, options), closed]);
    } finally {
      this.off('close', onClose);
    }
  };
}
