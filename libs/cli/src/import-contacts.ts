import { createWriteStream } from 'node:fs';
import { parse } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Import, MarketingPlatform } from '@marketing-platform/sdk';
import { SingleBar } from 'cli-progress';
import { Command, Option } from 'commander';
import { connect } from './connect.ts';
import { exitCodes } from './exit-codes.ts';
import { printData, terminal } from './output.ts';
import { fileOf } from './read-values.ts';
import { UsageError } from './usage-error.ts';

const pollMs = 500;
const ended = ['completed', 'failed', 'cancelled'];

type ImportOptions = {
  matchOn?: 'email' | 'external_id' | 'phone' | 'any';
  mapping?: string;
  delimiter?: string;
  defaultConsent?: 'subscribed' | 'pending' | 'unsubscribed';
  changeIdentifiers?: true;
  segment?: string;
  dryRun?: true;
  resume?: string;
  errors?: string;
  json?: true;
  profile?: string;
};

async function begin(mp: MarketingPlatform, file: string | undefined, options: ImportOptions): Promise<Import> {
  if (options.resume !== undefined) return mp.contacts.imports.get(options.resume);
  if (file === undefined) throw new UsageError('Pass a file, such as "mp contacts import people.csv", or --resume <import-id>.');
  const { matchOn, mapping, delimiter, defaultConsent, changeIdentifiers, segment, dryRun } = options;
  return mp.contacts.imports.create(
    { body: await fileOf(file === '-' ? file : `@${file}`), type: /\.(ndjson|jsonl)$/.test(file) ? 'application/x-ndjson' : 'text/csv' },
    {
      ...(matchOn && { match_on: matchOn }),
      ...(mapping !== undefined && { mapping }),
      ...(delimiter !== undefined && { delimiter }),
      ...(defaultConsent && { default_consent: defaultConsent }),
      ...(changeIdentifiers && { change_identifiers: 'true' as const }),
      ...(segment !== undefined && { add_to_segment_id: segment }),
      ...(dryRun && { dry_run: 'true' as const }),
    },
    { timeout: 3_600_000 },
  );
}

/** Follows an import until it has ended, with a bar if `stream` is a terminal. */
export async function followImport(
  mp: MarketingPlatform,
  started: Import,
  stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
): Promise<Import> {
  const bar = stream.isTTY ? new SingleBar({ format: '{bar} {percentage}% · {rows} rows', stream }) : undefined;
  let job = started;
  bar?.start(1, job.progress, { rows: job.rows.read });
  try {
    while (!ended.includes(job.status)) {
      await pause(pollMs);
      job = await mp.contacts.imports.get(job.id);
      bar?.update(job.progress, { rows: job.rows.read });
    }
    return job;
  } finally {
    // Until then, its timer keeps the process alive.
    bar?.stop();
  }
}

export const exitCodeOf = ({ status, rows }: Pick<Import, 'status'> & { rows: Pick<Import['rows'], 'failed'> }): number =>
  status !== 'completed' ? exitCodes.failed : rows.failed > 0 ? exitCodes.rowsFailed : exitCodes.ok;

/** Uploads a file, shows the progress until the import has ended, and saves the rows with errors. */
async function importContacts(file: string | undefined, options: ImportOptions): Promise<void> {
  const mp = await connect(options.profile);
  const started = await begin(mp, file, options);
  terminal.note(
    `Import ${started.id}. Stop watching with Ctrl-C: it continues on the platform, and "mp contacts import --resume ${started.id}" watches it again.\n`,
  );
  const job = await followImport(mp, started);
  printData(terminal, job);
  if (job.rows.failed > 0) {
    const target = options.errors ?? `${file === undefined || file === '-' ? job.id : parse(file).name}.errors.csv`;
    const { body } = await mp.contacts.imports.errors(job.id);
    if (body) await pipeline(Readable.fromWeb(body), createWriteStream(target));
    const { failed } = job.rows;
    terminal.note(`${failed === 1 ? '1 row has an error' : `${failed} rows have errors`}: see ${target}.\n`);
  }
  process.exitCode = exitCodeOf(job);
}

export function importCommand(): Command {
  return new Command('import')
    .summary('Import a file and follow its progress')
    .description(
      'Import contacts from a CSV or NDJSON file of any size, and follow the progress. Rows with errors are saved in the current folder as <file>.errors.csv.',
    )
    .argument('[file]', 'The file, or - for standard input')
    .addOption(
      new Option('--match-on <identifier>', 'The identifier that rows are matched on').choices(['email', 'external_id', 'phone', 'any']),
    )
    .option('--mapping <json>', 'The field each column fills, such as {"Email address": "email"}')
    .option('--delimiter <character>', 'The separator between columns; detected by default')
    .addOption(
      new Option('--default-consent <status>', 'Email consent of contacts from rows without one').choices([
        'subscribed',
        'pending',
        'unsubscribed',
      ]),
    )
    .option('--change-identifiers', 'Rows can change a stronger identifier of their contact')
    .option('--segment <id>', 'The static segment that the contacts are added to')
    .option('--dry-run', 'Check every row and save nothing')
    .option('--resume <import-id>', 'Follow an import that is already running')
    .option('--errors <file>', 'Where to save the rows with errors')
    .option('--json', 'JSON (the default)')
    .option('--profile <name>', 'The profile of mp login to use')
    .addHelpText('after', '\nExample:\n  mp contacts import people.csv --dry-run')
    .action(importContacts);
}
