import { parseArgs } from 'node:util';
import type { App, Parts } from './parts.ts';
import { prepareDatabase } from './prepare-database.ts';

/**
 * What an operator can ask of a service's program instead of running it, as its first argument:
 *
 *   prepare                                  creates the collections and indexes that are missing
 *   republish --since 2026-11-20T00:00:00Z   publishes again what was published since then, for a broker that lost its streams
 *
 * Resolves with false when it is neither of them.
 */
export async function runCommand(parts: Parts, service: App, [command = '', ...args]: readonly string[]): Promise<boolean> {
  if (command === 'prepare') {
    await withDatabase(parts, service, async () => parts.logger.info('prepared'));
    return true;
  }
  if (command === 'republish') {
    const since = sinceOf(args);
    await withDatabase(parts, service, async () => {
      const events = await parts.outbox.republish(since);
      parts.logger.info({ events }, 'these events will be published again');
    });
    return true;
  }
  return false;
}

async function withDatabase(parts: Parts, service: App, work: () => Promise<void>) {
  try {
    await prepareDatabase(parts, service);
    await work();
  } finally {
    await parts.mongo.stop();
  }
}

function sinceOf(args: readonly string[]): Date {
  const { values } = parseArgs({ args: [...args], options: { since: { type: 'string' } } });
  const since = new Date(values.since ?? '');
  if (Number.isNaN(since.getTime())) throw new Error('Say since when, such as: republish --since 2026-11-20T00:00:00Z');
  return since;
}
