import { noCounts, plus } from '@mp/move-in/steps';
import { addSuppressions, suppressionsPerRequest } from '@mp/move-in/write-plan';
import { Command } from 'commander';
import { confirmed } from '../confirmed.ts';
import { connect } from '../connect.ts';
import { exitCodes } from '../exit-codes.ts';
import { printData, terminal } from '../output.ts';
import { contentOf } from '../read-values.ts';
import { createSdkTarget } from './sdk-target.ts';
import { readSuppressions } from './suppression-files.ts';

type Options = { dryRun?: true; yes?: true; profile?: string };

const maxShown = 20;

async function importSuppressions(file: string, { dryRun, yes, profile }: Options): Promise<void> {
  const { title, rows, skipped } = readSuppressions(await contentOf(file === '-' ? file : `@${file}`));
  terminal.note(`${title}: ${rows.length} suppressions, ${skipped.length} notes.\n`);
  for (const { line, why } of skipped.slice(0, maxShown)) terminal.note(`  Line ${line}: ${why}.\n`);
  if (dryRun) return printData(terminal, { format: title, suppressions: rows.length, skipped });
  if (!(await confirmed(`Suppress ${rows.length} addresses?`, yes ? { yes } : {}))) {
    terminal.note('Nothing was changed.\n');
    process.exitCode = exitCodes.failed;
    return;
  }
  const target = createSdkTarget(await connect(profile));
  let counts = noCounts;
  const errors: string[] = [];
  for (let start = 0; start < rows.length; start += suppressionsPerRequest)
    counts = plus(counts, await addSuppressions(target, rows.slice(start, start + suppressionsPerRequest), (error) => errors.push(error)));
  const { created, unchanged, failed } = counts;
  printData(terminal, { format: title, created, unchanged, failed, errors, skipped });
  if (failed > 0) process.exitCode = exitCodes.rowsFailed;
}

/** `mp suppressions import`: the export of a service that sent emails before. */
export function importSuppressionsCommand(): Command {
  return new Command('import')
    .summary('Import the suppressions of another service')
    .description(
      'Suppress the addresses of an export of Amazon SES, SendGrid, Postmark or Mailgun, or of a plain list, with their reasons and dates. The format follows ' +
        'from the columns. Temporary failures are left out, and no workflow starts. Imported again, the file changes nothing.',
    )
    .argument('<file>', 'The CSV or JSON file, or - for standard input')
    .option('--dry-run', 'Check every row and save nothing')
    .option('--yes', 'Do not ask on a terminal')
    .option('--profile <name>', 'The profile of mp login to use')
    .addHelpText('after', '\nExample:\n  mp suppressions import bounces.csv --dry-run')
    .action(importSuppressions);
}
