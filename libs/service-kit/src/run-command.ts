import { parseArgs } from 'node:util';
import { isId } from '@mp/ids';
import { exportAccount } from './export-account.ts';
import { applyJournal, exportJournal } from './journal.ts';
import { prepareDatabase } from './prepare-database.ts';
import type { App, Parts } from './service-parts.ts';

/**
 * The commands of a service's program, as its first argument. Without one, it runs the service.
 *
 *   prepare                                       creates missing collections and indexes
 *   republish --since 2026-11-20T00:00:00Z        publishes events since then again, after NATS lost its streams
 *   export-journal --since 2026-11-20T00:00:00Z   prints changes that a restored backup must not undo or repeat (contacts only)
 *   apply-journal < journal.ndjson                applies them to a restored backup; each service picks its own entries
 *   export-account --account account_…            prints everything this service stores about an account, without secrets
 *
 * Resolves with false when the argument is not one of them.
 */
export async function runCommand(parts: Parts, service: App, [command = '', ...args]: readonly string[]): Promise<boolean> {
  switch (command) {
    case 'prepare':
      await withDatabase(parts, service, async () => parts.logger.info('collections and indexes are ready'));
      return true;
    case 'republish': {
      const since = sinceOf(command, args);
      await withDatabase(parts, service, async () => {
        const rows = await parts.outbox.republish(since);
        parts.logger.info({ rows }, 'outbox rows will be published again');
      });
      return true;
    }
    case 'export-journal':
      await exportJournal(parts, service, sinceOf(command, args));
      return true;
    case 'apply-journal':
      await withDatabase(parts, service, () => applyJournal(parts, service));
      return true;
    case 'export-account': {
      const { values } = parseArgs({ args, options: { account: { type: 'string' } } });
      const { account = '' } = values;
      if (!isId('account', account)) throw new Error('--account must be the id of an account, such as: export-account --account account_…');
      await exportAccount(parts, account);
      return true;
    }
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
  if (Number.isNaN(since.getTime())) throw new Error(`--since must be an ISO 8601 time, such as: ${command} --since 2026-11-20T00:00:00Z`);
  return since;
}
