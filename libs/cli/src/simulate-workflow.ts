import type { WorkflowSimulation } from '@marketing-platform/sdk';
import type { Command } from 'commander';
import { requestFor } from './call-operation.ts';
import type { CommandDescription } from './command-description.ts';
import { connect } from './connect.ts';
import { operationCommand } from './operation-command.ts';
import { printData, tableOf, terminal } from './output.ts';

/** `workflows simulate`, which shows the path of the run as a table on a terminal. */
export function simulateCommand(description: CommandDescription): Command {
  const command = operationCommand(description, async (operation, args, given) => {
    const mp = await connect(typeof given.profile === 'string' ? given.profile : undefined);
    const { contact } = given;
    const request = await requestFor(operation, args, contact === undefined ? given : { ...given, 'contact-id': contact });
    const simulation = await mp.request<WorkflowSimulation>(request);
    if (!terminal.isTerminal || given.json) return printData(terminal, simulation);
    const { status, reason, log, messages } = simulation;
    terminal.write(tableOf(log, ['at', 'step_id', 'event', 'text']));
    terminal.write(`\n${status}${reason ? `: ${reason}` : ''} · ${messages.length} emails. Nothing was sent.\n`);
  });
  return command
    .option('--contact <id>', 'The same as --contact-id')
    .addHelpText('after', '  mp workflows simulate workflow_… --contact contact_… --advance P3D');
}
