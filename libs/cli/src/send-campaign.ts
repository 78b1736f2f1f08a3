import type { Command } from 'commander';
import { callOperation, type Given } from './call-operation.ts';
import type { CommandDescription } from './command-description.ts';
import { confirmed } from './confirmed.ts';
import { connect } from './connect.ts';
import { operationCommand } from './operation-command.ts';
import { printData, terminal } from './output.ts';

/** `campaigns send` with a dry run, and a confirmation on a terminal, because emails cannot be recalled. */
export function sendCommand(description: CommandDescription): Command {
  const command = operationCommand(description, async (operation, args, given: Given) => {
    const mp = await connect(typeof given.profile === 'string' ? given.profile : undefined);
    const [id = ''] = args;
    if (given['dry-run']) return printData(terminal, await mp.campaigns.dryRun(id));
    const question = async () => {
      const [{ name }, { would_send }] = await Promise.all([mp.campaigns.get(id), mp.campaigns.dryRun(id)]);
      return `Send "${name}" to ${would_send} contacts?`;
    };
    if (!(await confirmed(question, given))) return terminal.note('Not sent.\n');
    return callOperation({ mp, command: operation, args, given, output: terminal });
  });
  return command
    .option('--dry-run', 'Count the contacts that would be emailed, and say why others would not; nothing is sent')
    .option('--yes', 'Do not ask')
    .addHelpText('after', '  mp campaigns send campaign_… --dry-run');
}
