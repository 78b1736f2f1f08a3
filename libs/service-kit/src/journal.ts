import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { JournalEntry } from '@mp/contracts/journal';
import { pause } from './backoff.ts';
import type { App, Parts } from './service-parts.ts';

const connectWithinMs = 30_000;

/** Prints the journal since a time to standard output as JSON lines, and warnings to standard error. Needs no MongoDB. */
export async function exportJournal({ broker, name }: Parts, { exportJournal }: App, since: Date) {
  if (!exportJournal) throw new Error(`${name} cannot export the journal; contacts exports it for all services.`);
  broker.start();
  const at = new Date().toISOString();
  const connected = new AbortController();
  try {
    await Promise.race([broker.connected(), tooLate(connected.signal)]);
    connected.abort();
    // Waits for the reader.
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
  if (!connected.aborted) throw new Error(`NATS did not respond within ${connectWithinMs / 1_000} seconds.`);
}

/** Applies the journal on standard input to the service's database. */
export async function applyJournal({ logger, name }: Parts, { applyJournal }: App, input: Readable = process.stdin) {
  if (!applyJournal) return logger.info(`${name} has nothing to apply: it gets its changes from the events of other services`);
  logger.info(await applyJournal(readJournal(input)), 'journal applied');
}

const remedy = 'Export it again, or omit this export if another one covers its time.';

/** The entries of one or several concatenated exports. Throws at an invalid line and at an incomplete export. */
export async function* readJournal(input: Readable): AsyncGenerator<JournalEntry> {
  let number = 0;
  let open: { since: string; line: number; entries: number } | undefined;
  let exports = 0;
  const cutOff = (where: string) =>
    new Error(`The journal is incomplete: the export since ${open?.since} that starts at line ${open?.line} ${where}. ${remedy}`);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line === '') continue;
    const entry = entryIn(line, number);
    if (entry.kind === 'export') {
      if (open) throw cutOff(`has no last line before the next export starts at line ${number}`);
      open = { since: entry.since, line: number, entries: 0 };
    } else if (!open) {
      throw new Error(`The journal is incomplete: line ${number} is not the first line of an export and follows none. ${remedy}`);
    } else if (entry.kind !== 'exported') {
      open.entries += 1;
    } else if (entry.since !== open.since || entry.entries !== open.entries) {
      throw cutOff(`has ${open.entries} entries, but its last line, ${number}, says ${entry.entries} since ${entry.since}`);
    } else {
      open = undefined;
      exports += 1;
    }
    yield entry;
  }
  if (open) throw cutOff(`has no last line before the journal ends at line ${number}`);
  if (exports === 0) throw new Error(`The journal is empty. ${remedy}`);
}

function entryIn(line: string, number: number): JournalEntry {
  try {
    return JournalEntry.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`Line ${number} is not a complete journal entry: ${line.slice(0, 100)}. ${remedy}`, { cause });
  }
}
