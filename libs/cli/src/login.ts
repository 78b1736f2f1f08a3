import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { connectTo } from './connect.ts';
import { openPage } from './open-page.ts';
import { printItems, terminal } from './output.ts';
import { checkedUrl, configPath, type Profile, readConfig, writeConfig } from './profiles.ts';
import { UsageError } from './usage-error.ts';

const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Typed without echo, or read from a pipe, so that it is in no shell history. */
export async function readSecret(name: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  process.stderr.write(`${name}: `);
  const terminalInput = createInterface({ input: process.stdin, output: silent(), terminal: true });
  const secret = await terminalInput.question('');
  terminalInput.close();
  process.stderr.write('\n');
  return secret.trim();
}

/** What the OAuth client of a login by browser registers. The port may differ. */
const redirectUri = 'http://127.0.0.1/callback';

const defaultUrl = 'http://localhost:8080';

type LoginOptions = {
  url?: string;
  key?: string;
  clientId?: string;
  clientSecret?: string;
  profile: string;
  browser?: true;
  scope?: string;
};

/** The browser opens on a terminal only; otherwise, the user opens the page. */
function visit(page: string) {
  terminal.note(`Allow access in your browser:\n${page}\n`);
  if (process.stderr.isTTY) openPage(page);
}

async function browserProfile(url: string, clientId: string | undefined, scope: string | undefined): Promise<Profile> {
  if (clientId === undefined)
    throw new UsageError(
      `Pass --client-id. An owner or admin creates it once: mp settings oauth-clients create --name "Command line" --permission read_write --confidential false --redirect-uris ${redirectUri}`,
    );
  const { logInByBrowser } = await import('./browser-login.ts');
  return { url, client_id: clientId, ...(await logInByBrowser({ url, clientId, scope, visit })) };
}

async function secretProfile(url: string, { key, clientId, clientSecret }: LoginOptions): Promise<Profile> {
  const secret = clientId === undefined ? (key ?? (await readSecret('API key'))) : (clientSecret ?? (await readSecret('Client secret')));
  if (secret === '') throw new UsageError('The key is empty. Create one in the dashboard under Settings → API Keys.');
  return { url, ...(clientId === undefined ? { key: secret } : { client_id: clientId, client_secret: secret }) };
}

async function login(options: LoginOptions) {
  const { url: givenUrl, clientId, profile: name, browser, scope } = options;
  const url = givenUrl === undefined ? checkedUrl('MP_BASE_URL', process.env.MP_BASE_URL ?? defaultUrl) : checkedUrl('--url', givenUrl);
  const known = (await readConfig()).profiles[name];
  const profile = browser ? await browserProfile(url, clientId ?? known?.client_id, scope) : await secretProfile(url, options);
  const me = await (await connectTo(profile)).me();
  const config = await readConfig();
  await writeConfig({ current: name, profiles: { ...config.profiles, [name]: profile } });
  terminal.note(`Logged in to ${me.account.name} at ${url}. Saved as the profile "${name}" in ${configPath()}.\n`);
}

async function logout(given: string | undefined) {
  const config = await readConfig();
  const name = given ?? config.current;
  const { [name]: removed, ...profiles } = config.profiles;
  if (!removed) throw new UsageError(noProfile(name, config.profiles));
  await writeConfig({ current: config.current === name ? (Object.keys(profiles)[0] ?? 'default') : config.current, profiles });
  const { url, client_id: clientId, refresh_token: token } = removed;
  if (clientId === undefined || token === undefined)
    return terminal.note(`Removed the profile "${name}". The key itself stays valid; revoke it with "mp settings api-keys revoke".\n`);
  const { revokeAccess } = await import('./browser-login.ts');
  const ended = await revokeAccess({ url, clientId }, token).then(
    () => 'The access that you allowed has ended.',
    () => 'The platform could not be reached; end its access in the dashboard under Your account.',
  );
  terminal.note(`Removed the profile "${name}". ${ended}\n`);
}

const noProfile = (name: string, profiles: object) =>
  `There is no profile "${name}". Profiles: ${Object.keys(profiles).join(', ') || 'none'}.`;

export function loginCommands(): Command[] {
  const profile = ['--profile <name>', 'The name of the profile', 'default'] as const;
  const withExample = (command: Command, example: string) => command.addHelpText('after', `\nExample:\n  ${example}`);
  return [
    withExample(
      new Command('login')
        .description('Save a key, or an OAuth client, in a file only you can read. Without --key, asks for it or reads standard input.')
        .option('--url <url>', `The URL of the platform; by default MP_BASE_URL, or ${defaultUrl}`)
        .option('--key <key>', 'An API key')
        .option('--client-id <id>', 'The ID of an OAuth client, instead of a key')
        .option('--client-secret <secret>', 'The secret of the OAuth client')
        .option('--browser', 'Allow access in a browser instead, through an OAuth client without a secret')
        .option('--scope <scopes>', 'With --browser: the scopes to ask for, separated by spaces; by default, all of the client')
        .option(...profile)
        .action(login),
      'mp login --url https://marketing.example.com --profile production',
    ),
    withExample(
      new Command('logout')
        .description('Remove a profile')
        .option('--profile <name>', 'Its name; by default, the current profile')
        .action(({ profile: name }: { profile?: string }) => logout(name)),
      'mp logout --profile production',
    ),
    withExample(
      new Command('profiles')
        .description('List the profiles, without their keys')
        .option('--json', 'JSON, even on a terminal')
        .action(async ({ json }: { json?: true }) => {
          const { current, profiles } = await readConfig();
          const items = Object.entries(profiles).map(([name, { url, client_id, refresh_token }]) => ({
            name,
            url,
            credentials: refresh_token ? 'browser' : client_id ? 'oauth_client' : 'api_key',
            current: name === current,
          }));
          printItems(terminal, items, terminal.isTerminal && !json);
        }),
      'mp profiles',
    ),
    withExample(
      new Command('use')
        .description('Set the current profile')
        .argument('<profile>', 'Its name')
        .action(async (name: string) => {
          const config = await readConfig();
          if (!config.profiles[name]) throw new UsageError(noProfile(name, config.profiles));
          await writeConfig({ ...config, current: name });
        }),
      'mp use production',
    ),
  ];
}
