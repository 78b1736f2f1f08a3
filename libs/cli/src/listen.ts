import { ConflictError, type WebhookEvent } from '@marketing-platform/sdk';
import { Command } from 'commander';
import { requestFor } from './call-operation.ts';
import type { CommandDescription } from './command-description.ts';
import { connectTo } from './connect.ts';
import { type Forwarded, forwardEvent, secretOf } from './forward-event.ts';
import { operationCommand } from './operation-command.ts';
import { printData, printItems, terminal } from './output.ts';
import { currentProfile, type Profile } from './profiles.ts';
import { UsageError } from './usage-error.ts';

type ListenOptions = { events?: string; forward?: string; secret?: string; json?: true; profile?: string };

/** Calls `handle` for every event from now on, even when the stream had to be opened again. */
async function follow(profile: Profile, events: string | undefined, opened: string, handle: (event: WebhookEvent) => Promise<void>) {
  const mp = await connectTo(profile);
  const onOpen = () => terminal.note(opened);
  for (;;) {
    try {
      for await (const event of mp.webhooks.listen({ ...(events !== undefined && { events: events.split(',') }), onOpen }))
        await handle(event);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      terminal.note('The connection was lost for more than a minute. Events since then are missing; later ones follow.\n');
    }
  }
}

const lineOf = ({ id, type, status, duration_ms, error }: Forwarded) =>
  `${new Date().toISOString()}  ${type}  ${id}  → ${error ?? `${status} in ${duration_ms} ms`}\n`;

async function listen({ events, forward, secret, json, profile: name }: ListenOptions): Promise<void> {
  if (forward === undefined) throw new UsageError('Pass the URL of your receiver: --forward http://localhost:3000/hook');
  if (!/^https?:\/\//i.test(forward) || !URL.canParse(forward))
    throw new UsageError(`--forward must be a URL such as http://localhost:3000/hook, not "${forward}".`);
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))
    throw new UsageError('--secret must be whsec_ followed by Base64 of at least 24 bytes.');
  const profile = await currentProfile(name);
  const signing = secret ?? secretOf(profile);
  const opened = `Events are forwarded to ${forward}, signed with ${signing}\n"mp webhooks trigger contact.created" sends a test event. Stop with Ctrl-C.\n`;
  await follow(profile, events, opened, async (event) => {
    const forwarded = await forwardEvent(event, forward, signing);
    if (terminal.isTerminal && !json) terminal.write(lineOf(forwarded));
    else printItems(terminal, [forwarded], false);
  });
}

async function tail({ events, json, profile: name }: ListenOptions): Promise<void> {
  await follow(await currentProfile(name), events, 'Events appear as they happen. Stop with Ctrl-C.\n', async (event) => {
    const { timestamp, type, id, cause } = event;
    if (terminal.isTerminal && !json) terminal.write(`${timestamp}  ${type}  ${id}  ${cause}\n`);
    else printItems(terminal, [event], false);
  });
}

const common = (command: Command) =>
  command
    .option('--events <types>', 'Types of events or groups such as contact.*, separated by commas. Default: all')
    .option('--json', 'One line of JSON per event, even on a terminal')
    .option('--profile <name>', 'The profile of mp login to use');

/** `webhooks listen`, which stands in for a public URL during development. */
export function listenCommand(): Command {
  return common(
    new Command('listen')
      .summary('Forward live events to a receiver on this machine')
      .description(
        'Forward the events of the account to a URL that only this machine can reach, as they happen and signed as a webhook would. ' +
          'The signing secret is shown at the start; it is derived from your key and the same each time.',
      )
      .option('--forward <url>', 'The URL of your receiver')
      .option('--secret <secret>', 'Sign with this secret instead'),
  )
    .addHelpText('after', '\nExample:\n  mp webhooks listen --forward http://localhost:3000/hook --events contact.*')
    .action(listen);
}

/** `events tail`, which prints events as they happen. */
export function tailCommand(): Command {
  return common(new Command('tail').summary('Print live events').description('Print the events of the account as they happen.'))
    .addHelpText('after', '\nExample:\n  mp events tail --events message.*')
    .action(tail);
}

/** `webhooks trigger`, which also takes the type without a flag. */
export function triggerCommand(description: CommandDescription): Command {
  const command = operationCommand(description, async (operation, _, given) => {
    const [type] = command.args;
    const mp = await connectTo(await currentProfile(typeof given.profile === 'string' ? given.profile : undefined));
    const request = await requestFor(operation, [], type === undefined ? given : { ...given, type });
    const triggered = await mp.request<{ streams: number }>(request);
    printData(terminal, triggered);
    if (triggered.streams === 0) terminal.note('No stream receives it. Start "mp webhooks listen" or "mp events tail" first.\n');
  });
  return command.argument('[type]', 'The same as --type').addHelpText('after', '  mp webhooks trigger contact.created');
}
