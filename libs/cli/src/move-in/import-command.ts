import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { confirmed } from '../confirmed.ts';
import { connect } from '../connect.ts';
import { exitCodes } from '../exit-codes.ts';
import { readSecret } from '../login.ts';
import { printData, terminal } from '../output.ts';
import { checkedUrl, configPath, currentProfile } from '../profiles.ts';
import { UsageError } from '../usage-error.ts';
import { klaviyo } from './klaviyo/provider.ts';
import { listmonk } from './listmonk/provider.ts';
import { mailchimp } from './mailchimp/provider.ts';
import type { Provider } from './records.ts';
import { failedIn, runImport } from './run-import.ts';
import { createSource } from './source.ts';
import { openState } from './state-file.ts';

const providers: Readonly<Record<string, Provider>> = { mailchimp, klaviyo, listmonk };

type ImportOptions = {
  from: string;
  url?: string;
  key?: string;
  state?: string;
  dryRun?: true;
  yes?: true;
  output?: 'json' | 'text';
  profile?: string;
};

async function moveIn({ from, url, key: given, state, dryRun, yes, output, profile }: ImportOptions): Promise<void> {
  const provider = providers[from];
  if (!provider) throw new UsageError(`--from must be one of ${Object.keys(providers).join(', ')}.`);
  const key = given ?? process.env[provider.keyVariable] ?? (await readSecret(provider.keyPrompt));
  if (key === '') throw new UsageError(`The key is empty. Set ${provider.keyVariable}, or enter it when asked.`);
  const { url: base, headers } = provider.connect(key, url === undefined ? undefined : checkedUrl('--url', url));
  const [mp, target] = await Promise.all([connect(profile), currentProfile(profile)]);
  const { account } = await mp.me();
  const pathOf = (identity: string) => join(dirname(configPath()), `import-${from}-${identity}.json`);
  const open = await openState(state ?? pathOf, [from, base, key, target.url, account.id]);
  const source = createSource({ title: provider.title, url: base, headers });
  const asJson = output === 'json';
  const confirm = (question: string) => confirmed(question, yes ? { yes } : {});
  const outcome = await runImport({ provider, source, mp, open, output: terminal, asJson, dryRun: dryRun === true, confirm });
  if (asJson) printData(terminal, outcome);
  if (outcome.written && failedIn(outcome.written) > 0) process.exitCode = exitCodes.rowsFailed;
  else if (!outcome.written && !dryRun) process.exitCode = exitCodes.failed;
}

/** `mp import`: everything of an account in another system. */
export function moveInCommand(): Command {
  return new Command('import')
    .summary('Move in from Mailchimp, Klaviyo or listmonk')
    .description(
      'Read contacts with their consent, lists, tags, suppressions and templates from another system, show what would come, ask, and import ' +
        'it. Nothing is sent, and no workflow starts. An import that was interrupted continues when it is started again; a finished one can ' +
        'be repeated and changes nothing.\n\nThe key comes from MAILCHIMP_API_KEY, KLAVIYO_API_KEY or LISTMONK_API_KEY, or is asked for.',
    )
    .addOption(new Option('--from <system>', 'The other system').choices(Object.keys(providers)).makeOptionMandatory())
    .option('--url <url>', 'The URL of your listmonk')
    .option('--key <key>', 'The key; it stays in the history of your shell, so prefer the environment variable')
    .option('--state <file>', 'Where to record what is done; by default beside the configuration of mp')
    .option('--dry-run', 'Show what would come, and import nothing')
    .option('--yes', 'Do not ask on a terminal')
    .addOption(new Option('--output <format>', 'The report as text or as JSON').choices(['text', 'json']))
    .option('--profile <name>', 'The profile of mp login to use')
    .addHelpText('after', '\nExample:\n  mp import --from mailchimp --dry-run')
    .action(moveIn);
}
