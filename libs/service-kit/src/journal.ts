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
    let entries = 0;
    await write({ kind: 'export', since: since.toISOString() });
    await exportJournal(since, (entry) => {
      entries += 1;
      return write(entry);
    });
    await write({ kind: 'exported', since: since.toISOString(), at, entries });
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

const remedy = 'Export it again, or leave this export out where another covers its time.';

/** The entries of one export, or of several one after another. Throws at a line that is none, and where an export is not whole. */
export async function* readJournal(input: Readable): AsyncGenerator<JournalEntry> {
  let number = 0;
  let open: { since: string; line: number; entries: number } | undefined;
  let exports = 0;
  const cutOff = (where: string) =>
    new Error(`The journal was cut off: the export since ${open?.since} that begins at line ${open?.line} ${where}. ${remedy}`);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line === '') continue;
    const entry = entryIn(line, number);
    if (entry.kind === 'export') {
      if (open) throw cutOff(`has no last line before the next export begins at line ${number}`);
      open = { since: entry.since, line: number, entries: 0 };
    } else if (!open) {
      throw new Error(`The journal was cut off: line ${number} is not the first line of an export, and there is none before it. ${remedy}`);
    } else if (entry.kind !== 'exported') {
      open.entries += 1;
    } else if (entry.since !== open.since || entry.entries !== open.entries) {
      throw cutOff(`has ${open.entries} entries, and its last line, ${number}, says ${entry.entries} since ${entry.since}`);
    } else {
      open = undefined;
      exports += 1;
    }
    yield entry;
  }
  if (open) throw cutOff(`has no last line before the journal ends at line ${number}`);
  if (exports === 0) throw new Error(`The journal is empty: it was cut off before its first line. ${remedy}`);
}

function entryIn(line: string, number: number): JournalEntry {
  try {
    return JournalEntry.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`Line ${number} is not an entry of the journal, or was cut off: ${line.slice(0, 100)}. ${remedy}`, { cause });
  }
}
