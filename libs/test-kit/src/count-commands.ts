import type { Mongo } from '@mp/service-kit/mongo';
import type { CommandStartedEvent } from 'mongodb';

/** What a client sent to MongoDB. Neither depends on the machine. `commands` include the commits. */
export type Sent = { commands: number; commits: number };

/** Counts what the client of these parts sends while `work` runs. They must be made with `monitorCommands`. */
export async function countCommands({ client }: Pick<Mongo, 'client'>, work: () => Promise<unknown>): Promise<Sent> {
  const sent = { commands: 0, commits: 0 };
  const count = ({ commandName }: CommandStartedEvent) => {
    sent.commands += 1;
    if (commandName === 'commitTransaction') sent.commits += 1;
  };
  client.on('commandStarted', count);
  try {
    await work();
  } finally {
    client.off('commandStarted', count);
  }
  if (sent.commands === 0) throw new Error('No command was seen: make the parts with `monitorCommands: true`.');
  return sent;
}
