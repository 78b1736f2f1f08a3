import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { MarketingPlatform } from '@marketing-platform/sdk';
import { batchesOf, filesOf } from '@mp/move-in/archive';
import { SourceError } from '@mp/move-in/errors';
import { klaviyo } from '@mp/move-in/klaviyo/provider';
import { listmonk } from '@mp/move-in/listmonk/provider';
import { mailchimp } from '@mp/move-in/mailchimp/provider';
import type { Batch, Provider } from '@mp/move-in/records';
import { createSource } from '@mp/move-in/source';
import { maxPauseMs } from '@mp/move-in/state';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { confirmed } from '../confirmed.ts';
import { connect } from '../connect.ts';
import { exitCodes } from '../exit-codes.ts';
import { readSecret } from '../login.ts';
import { readManifest } from '../move-out/export-folder.ts';
import { printData, terminal } from '../output.ts';
import { checkedUrl, configPath, currentProfile } from '../profiles.ts';
import { UsageError } from '../usage-error.ts';
import { failedIn, prepareExport, prepareSystem, runImport } from './run-import.ts';
import { openState } from './state-file.ts';

const providers: Readonly<Record<string, Provider>> = { mailchimp, klaviyo, listmonk };

type ImportOptions = {
  from: string;
  url?: string;
  key?: string;
  archive?: string;
  eventsSince?: string;
  state?: string;
  dryRun?: true;
  yes?: true;
  output?: 'json' | 'text';
  profile?: string;
};

type Read = {
  system: Pick<Provider, 'title' | 'staysBehind'>;
  read: (after: string | null) => AsyncIterable<Batch>;
  identity: string[];
};

const dayMs = 24 * 3_600_000;

/** The first day whose events come, and what that leaves behind. The account rejects events that are older than it keeps them. */
async function eventsOf(given: string | undefined, mp: MarketingPlatform) {
  if (given === 'none') return { stays: ['events: --events-since none'] };
  if (given !== undefined && !z.iso.date().safeParse(given).success)
    throw new UsageError('--events-since must be a day such as 2025-01-31, or none.');
  const { retention_days } = await mp.leadpulse.settings.get();
  // None becomes too old while the import runs.
  const kept = new Date(Date.now() - (retention_days - 2) * dayMs).toISOString().slice(0, 10);
  const since = given !== undefined && given > kept ? given : kept;
  return { since, stays: [`events before ${since}`] };
}

/** Another system, read with a key of it, or its export. */
async function systemOf({ from, url, key: given, archive, eventsSince }: ImportOptions, mp: MarketingPlatform): Promise<Read> {
  const provider = providers[from];
  if (!provider) throw new UsageError(`--from must be one of ${Object.keys(providers).join(', ')}, or the folder of an mp export.`);
  if (archive !== undefined) return archiveOf(provider, from, archive);
  const key = given ?? process.env[provider.keyVariable] ?? (await readSecret(provider.keyPrompt));
  if (key === '') throw new UsageError(`The key is empty. Set ${provider.keyVariable}, or enter it when asked.`);
  const { url: base, headers } = connected(provider, key, url === undefined ? undefined : checkedUrl('--url', url));
  const source = createSource({ title: provider.title, url: base, headers });
  const { since, stays } = provider.bringsEvents ? await eventsOf(eventsSince, mp) : { stays: [] };
  return {
    system: { ...provider, staysBehind: [...provider.staysBehind, ...stays] },
    read: (after) => provider.read(source, after, { eventsSince: since }),
    identity: [from, base, key, ...(eventsSince === undefined ? [] : [eventsSince])],
  };
}

function connected(provider: Provider, key: string, url: string | undefined) {
  try {
    return provider.connect(key, url);
  } catch (error) {
    throw error instanceof SourceError ? new UsageError(error.message) : error;
  }
}

/** The file is named by what is in it, so that an import of another one does not resume it. */
async function archiveOf({ archive }: Provider, from: string, path: string): Promise<Read> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`--archive: ${error instanceof Error ? error.message : String(error)}`);
  });
  const files = filesOf(basename(path), bytes);
  const identity = [from, 'archive', createHash('sha256').update(bytes).digest('hex')];
  return {
    system: archive,
    read: async function* (after) {
      yield* batchesOf(archive.recordsIn(files), after);
    },
    identity,
  };
}

/** An export of another account, if `--from` is its folder. */
async function exportIn(from: string) {
  if (from in providers) return undefined;
  const folder = resolve(from);
  const manifest = await readManifest(folder);
  if (manifest && manifest.completed_at === null)
    throw new UsageError(`The export in ${folder} is not complete. Run mp export ${from} again, which resumes it.`);
  return manifest && { folder, manifest, identity: ['export', manifest.id] };
}

async function moveIn(options: ImportOptions): Promise<void> {
  const { from, archive, state, dryRun, yes, output, profile } = options;
  const exported = await exportIn(from);
  if (options.eventsSince !== undefined && (archive !== undefined || !providers[from]?.bringsEvents))
    throw new UsageError('--events-since is for systems whose events come with a key: klaviyo.');
  const [mp, target] = await Promise.all([connect(profile), currentProfile(profile)]);
  const system = exported ? undefined : await systemOf(options, mp);
  const { account } = await mp.me();
  const pathOf = (identity: string) => join(dirname(configPath()), `import-${exported ? 'export' : from}-${identity}.json`);
  const identity = exported?.identity ?? system?.identity ?? [];
  const lifetime = { maxPauseMs: exported || archive !== undefined ? maxPauseMs.file : maxPauseMs.system };
  const open = await openState(state ?? pathOf, [...identity, target.url, account.id], lifetime);
  const prepare = exported ? prepareExport({ ...exported, mp }, open) : system && prepareSystem({ ...system, mp }, open, terminal);
  if (!prepare) return;
  const asJson = output === 'json';
  const confirm = (question: string) => confirmed(question, yes ? { yes } : {});
  const outcome = await runImport({ open, output: terminal, asJson, dryRun: dryRun === true, prepare, confirm });
  if (asJson) printData(terminal, outcome);
  if (outcome.written && failedIn(outcome.written) > 0) process.exitCode = exitCodes.rowsFailed;
  else if (!outcome.written && !dryRun) process.exitCode = exitCodes.failed;
}

/** `mp import`: everything of an account in another system. */
export function moveInCommand(): Command {
  return new Command('import')
    .summary('Move in from Mailchimp, Klaviyo, listmonk or another account')
    .description(
      'Read contacts with their consent, lists, tags, suppressions, templates and past events from another system, or everything of an mp export, show what would come, ask, and import ' +
        'it. Nothing is sent, and no workflow starts. An import that was interrupted resumes when it is started again; a finished one ' +
        'can be repeated and changes nothing.\n\nThe key comes from MAILCHIMP_API_KEY, KLAVIYO_API_KEY or LISTMONK_API_KEY, or is asked for.',
    )
    .addOption(new Option('--from <system>', `${Object.keys(providers).join(', ')}, or the folder of an mp export`).makeOptionMandatory())
    .option('--url <url>', 'The URL of your listmonk')
    .option('--archive <file>', 'The export of the other system as a ZIP or CSV file, instead of its API')
    .option('--key <key>', 'The key; it stays in the history of your shell, so prefer the environment variable')
    .option(
      '--events-since <day>',
      'The first day whose events come from Klaviyo, or none; by default, as long as the account keeps events',
    )
    .option('--state <file>', 'Where to record what is done; by default beside the configuration of mp')
    .option('--dry-run', 'Show what would come, and import nothing')
    .option('--yes', 'Do not ask on a terminal')
    .addOption(new Option('--output <format>', 'The report as text or as JSON').choices(['text', 'json']))
    .option('--profile <name>', 'The profile of mp login to use')
    .addHelpText(
      'after',
      '\nExample:\n  mp import --from mailchimp --dry-run\n  mp import --from mailchimp --archive export.zip\n  mp import --from ./my-account',
    )
    .action(moveIn);
}
