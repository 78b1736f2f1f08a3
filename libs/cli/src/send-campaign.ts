import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { callOperation, type Given } from './call-operation.ts';
import type { CommandDescription } from './command-description.ts';
import { connect } from './connect.ts';
import { operationCommand } from './operation-command.ts';
import { printData, terminal } from './output.ts';

async function confirmed(question: string): Promise<boolean> {
  const input = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await input.question(`${question} [y/N] `);
  input.close();
  return /^y(es)?$/i.test(reply.trim());
}

/** `campaigns send` with a dry run, and a confirmation on a terminal, because emails cannot be recalled. */
export function sendCommand(description: CommandDescription): Command {
  const command = operationCommand(description, async (operation, args, given: Given) => {
    const mp = await connect(typeof given.profile === 'string' ? given.profile : undefined);
    const [id = ''] = args;
    if (given['dry-run']) return printData(terminal, await mp.campaigns.dryRun(id));
    if (process.stdin.isTTY && !given.yes) {
      const [{ name }, { would_send }] = await Promise.all([mp.campaigns.get(id), mp.campaigns.dryRun(id)]);
      if (!(await confirmed(`Send "${name}" to ${would_send} contacts?`))) return terminal.note('Not sent.\n');
    }
    return callOperation({ mp, command: operation, args, given, output: terminal });
  });
  return command
    .option('--dry-run', 'Count the contacts that would be emailed, and say why others would not; nothing is sent')
    .option('--yes', 'Do not ask')
    .addHelpText('after', '  mp campaigns send campaign_… --dry-run');
}
