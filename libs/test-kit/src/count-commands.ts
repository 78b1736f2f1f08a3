import type { Mongo } from '@mp/service-kit/mongo';
import type { CommandStartedEvent, CommandSucceededEvent } from 'mongodb';

/** What a client sent to MongoDB, and the documents that it wrote. None depends on the machine. `commands` include the commits. */
type Sent = { commands: number; commits: number; documents: number };

/** Counts what the client of these parts sends while `work` runs. They must be made with `monitorCommands`. */
export async function countCommands({ client }: Pick<Mongo, 'client'>, work: () => Promise<unknown>): Promise<Sent> {
  const sent = { commands: 0, commits: 0, documents: 0 };
  const count = ({ commandName }: CommandStartedEvent) => {
    sent.commands += 1;
    if (commandName === 'commitTransaction') sent.commits += 1;
  };
  const countWritten = (succeeded: CommandSucceededEvent) => {
    sent.documents += written(succeeded);
  };
  client.on('commandStarted', count).on('commandSucceeded', countWritten);
  try {
    await work();
  } finally {
    client.off('commandStarted', count).off('commandSucceeded', countWritten);
  }
  if (sent.commands === 0) throw new Error('No command was seen: make the parts with `monitorCommands: true`.');
  return sent;
}

/** The documents that a command inserted, changed or deleted, by its reply. */
function written({ commandName, reply }: CommandSucceededEvent): number {
  const { n = 0, nModified = 0, upserted = [], lastErrorObject } = Object(reply);
  if (commandName === 'insert' || commandName === 'delete') return n;
  if (commandName === 'update') return nModified + upserted.length;
  return commandName === 'findAndModify' ? (lastErrorObject?.n ?? 0) : 0;
}
