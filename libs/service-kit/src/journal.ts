import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { JournalEntry } from '@mp/contracts/journal';
import { pause } from './backoff.ts';
import type { App, Parts } from './parts.ts';

const connectWithinMs = 30_000;

/** Prints the journal since then to standard output, a JSON line for each entry, and what it covers to standard error. Needs no MongoDB. */
export async function exportJournal({ broker, logger, name }: Parts, { exportJournal }: App, since: Date) {
  if (!exportJournal) throw new Error(`${name} does not export the journal; contacts does, for all services.`);
  // Standard output belongs to the journal.
  logger.level = 'silent';
  broker.start();
  const at = new Date().toISOString();
  const connected = new AbortController();
  try {
    await Promise.race([broker.connected(), tooLate(connected.signal)]);
    connected.abort();
    // No faster than it is read.
    const write = async (entry: JournalEntry) => {
      if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) await once(process.stdout, 'drain');
    };
    await exportJournal(since, write);
    await write({ kind: 'exported', since: since.toISOString(), at });
  } finally {
    await broker.stop();
  }
}

async function tooLate(connected: AbortSignal) {
  await pause(connectWithinMs, connected);
  if (!connected.aborted) throw new Error(`NATS did not answer within ${connectWithinMs / 1_000} seconds.`);
}

/** Writes the journal on standard input into the service's database. */
export async function applyJournal({ logger, name }: Parts, { applyJournal }: App, input: Readable = process.stdin) {
  if (!applyJournal) return logger.info(`${name} has nothing to apply: what concerns it comes as events of the others`);
  logger.info(await applyJournal(readJournal(input)), 'the journal is applied');
}

/** The entries of one journal, or of several one after another. Throws at a line that is none, and when the end was cut off. */
export async function* readJournal(input: Readable): AsyncGenerator<JournalEntry> {
  let number = 0;
  let complete = false;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line === '') continue;
    const entry = entryIn(line, number);
    complete = entry.kind === 'exported';
    yield entry;
  }
  if (!complete) throw new Error('The journal was cut off: its last line is not the one that ends an export. Export it again.');
}

function entryIn(line: string, number: number): JournalEntry {
  try {
    return JournalEntry.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`Line ${number} is not an entry of the journal: ${line.slice(0, 100)}`, { cause });
  }
}
