import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { connect } from '../connect.ts';
import { printData, terminal } from '../output.ts';
import { currentProfile } from '../profiles.ts';
import { UsageError } from '../usage-error.ts';
import { createExportFolder, type Manifest, readManifest } from './export-folder.ts';
import { createAccountReader } from './read-account.ts';

type Account = { id: string; name: string; url: string };

/** The manifest in the folder, to continue; a new one if the folder is empty. */
async function manifestIn(folder: string, account: Account): Promise<Manifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const known = await readManifest(folder);
  if (known?.completed_at) throw new UsageError(`${folder} has a complete export of ${known.completed_at}. Pass another folder.`);
  if (known && known.account.id !== account.id)
    throw new UsageError(`${folder} has an unfinished export of another account, ${known.account.name}. Pass another folder.`);
  if (known) return known;
  if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty. Pass an empty or a new folder.`);
  return {
    ...{ format: 'marketing-platform-export', version: 1, id: randomUUID(), account },
    ...{ started_at: new Date().toISOString(), completed_at: null, parts: {}, left_out: [] },
  };
}

async function exportAccount(to: string, { profile }: { profile?: string }): Promise<void> {
  const folder = resolve(to);
  const [mp, { url }] = await Promise.all([connect(profile), currentProfile(profile)]);
  const { account } = await mp.me();
  const files = createExportFolder(folder, await manifestIn(folder, { id: account.id, name: account.name, url }));
  await files.save();
  await createAccountReader({ mp, folder, files, note: terminal.note })();
  files.manifest.completed_at = new Date().toISOString();
  await files.save();
  const { parts, left_out } = files.manifest;
  printData(terminal, { folder, counts: Object.fromEntries(Object.entries(parts).map(([name, { count }]) => [name, count])), left_out });
}

/** `mp export`: everything of the account, in files that `mp import` of another account takes. */
export function exportAccountCommand(): Command {
  return new Command('export')
    .summary('Export everything of the account into a folder')
    .description(
      'Write contacts with consent and its evidence, suppressions, segments, templates, campaigns, workflows, forms, events and settings ' +
        'into a folder. Another account takes it with mp import --from <folder>. An export that was interrupted resumes when it is ' +
        'started again. Only you can read the files. Secrets, such as keys and passwords, are not in them.',
    )
    .argument('<folder>', 'A new or empty folder, or that of an export that was interrupted')
    .option('--profile <name>', 'The profile of mp login to use')
    .addHelpText('after', '\nExample:\n  mp export ./my-account')
    .action(exportAccount);
}
