import { randomUUID } from 'node:crypto';
import { commonEnv, readEnv } from '@mp/service-kit/env';
import { announceChanges } from '@mp/service-kit/link-changes';
import type { Origin } from '@mp/service-kit/mongo';
import { createParts, type Parts } from '@mp/service-kit/service-parts';
import { createStores, type Stores } from '../settings/stores.ts';

export type CommandParts = { parts: Parts; stores: Stores; origin: Origin };

const { NODE_ENV, NAMESPACE, MONGODB_URL, NATS_URL, CONTEXT_KEYS, CURSOR_KEYS } = commonEnv;

/**
 * Runs a command directly against MongoDB, so that it also works while the platform is stopped. Its events wait in the
 * outbox until the gateway publishes them, which is at once if it runs. Errors go to standard error; standard output has only the result.
 */
export async function runCommand(work: (command: CommandParts) => Promise<string | undefined>) {
  const env = readEnv({ NODE_ENV, NAMESPACE, MONGODB_URL, NATS_URL, CONTEXT_KEYS, CURSOR_KEYS });
  const parts = createParts({ name: 'gateway', ...env, LOG_LEVEL: 'silent' });
  const stores = createStores(parts);
  try {
    let reported = false;
    await parts.mongo.start(() => {
      if (!reported) explain('MongoDB is unavailable; retrying …');
      reported = true;
    });
    await parts.prepare();
    await stores.prepare();
    const output = await work({ parts, stores, origin: { correlationId: `cli_${randomUUID()}`, causationId: null } });
    await announceChanges({ broker: parts.broker, service: parts.name });
    if (output !== undefined) process.stdout.write(`${output}\n`);
  } catch (error) {
    explain(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  } finally {
    await parts.mongo.stop();
  }
}

/** Writes a message for people to standard error, separate from the result. */
export const explain = (text: string) => process.stderr.write(`${text}\n`);

/** With `--help`, prints the usage and exits with 0. */
export function offerHelp(usage: string) {
  if (!process.argv.includes('--help')) return;
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}

/** Prints all faults in the arguments and the usage, and exits with 1. */
export function refuseArguments(faults: readonly string[], usage: string): never {
  process.stderr.write(`${faults.map((fault) => `  ${fault}`).join('\n')}\n\n${usage}\n`);
  process.exit(1);
}
