import { parseArgs } from 'node:util';
import { applyJournal, exportJournal } from './journal.ts';
import type { App, Parts } from './parts.ts';
import { prepareDatabase } from './prepare-database.ts';

/**
 * What an operator can ask of a service's program instead of running it, as its first argument:
 *
 *   prepare                                       creates the collections and indexes that are missing
 *   republish --since 2026-11-20T00:00:00Z        publishes again what was published since then, for a broker that lost its streams
 *   export-journal --since 2026-11-20T00:00:00Z   prints what a restored backup must not undo or repeat (contacts, for all services)
 *   apply-journal < journal.ndjson                writes that into a restored backup; each service takes what is its own
 *
 * Resolves with false when it is none of them.
 */
export async function runCommand(parts: Parts, service: App, [command = '', ...args]: readonly string[]): Promise<boolean> {
  switch (command) {
    case 'prepare':
      await withDatabase(parts, service, async () => parts.logger.info('prepared'));
      return true;
    case 'republish': {
      const since = sinceOf(command, args);
      await withDatabase(parts, service, async () => {
        const events = await parts.outbox.republish(since);
        parts.logger.info({ events }, 'these events will be published again');
      });
      return true;
    }
    case 'export-journal':
      await exportJournal(parts, service, sinceOf(command, args));
      return true;
    case 'apply-journal':
      await withDatabase(parts, service, () => applyJournal(parts, service));
      return true;
    default:
      return false;
  }
}

async function withDatabase(parts: Parts, service: App, work: () => Promise<void>) {
  try {
    await prepareDatabase(parts, service);
    await work();
  } finally {
    await parts.mongo.stop();
  }
}

function sinceOf(command: string, args: readonly string[]): Date {
  const { values } = parseArgs({ args: [...args], options: { since: { type: 'string' } } });
  const since = new Date(values.since ?? '');
  if (Number.isNaN(since.getTime())) throw new Error(`Say since when, such as: ${command} --since 2026-11-20T00:00:00Z`);
  return since;
}
