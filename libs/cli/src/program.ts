import { Command } from 'commander';
import type { CommandDescription } from './command-description.ts';
import { addCompletion } from './completion.ts';
import { exitCodesText } from './exit-codes.ts';
import { commands } from './generated/commands.gen.ts';
import { importCommand } from './import-contacts.ts';
import { listenCommand, tailCommand, triggerCommand } from './listen.ts';
import { loginCommands } from './login.ts';
import { mcpCommand } from './mcp-command.ts';
import { moveInCommand } from './move-in/import-command.ts';
import { importSuppressionsCommand } from './move-in/import-suppressions.ts';
import { exportAccountCommand } from './move-out/export-command.ts';
import { type Call, operationCommand } from './operation-command.ts';
import { sendCommand } from './send-campaign.ts';
import { simulateCommand } from './simulate-workflow.ts';
import { version } from './version.ts';

/** Operations whose command does more than call them. */
const special: Record<string, (description: CommandDescription) => Command> = {
  sendCampaign: sendCommand,
  simulateWorkflow: simulateCommand,
  triggerWebhookEvent: triggerCommand,
};

function groupFor(program: Command, words: readonly string[]): Command {
  return words.reduce((parent, word, index) => {
    const known = parent.commands.find((command) => command.name() === word);
    if (known) return known;
    const group = new Command(word).description(
      `Commands for ${words
        .slice(0, index + 1)
        .join(' ')
        .replaceAll('-', ' ')}`,
    );
    group.addHelpText(
      'after',
      () => `\nExample:\n  mp ${[...words.slice(0, index + 1), group.commands[0]?.name() ?? ''].join(' ')} --help`,
    );
    parent.addCommand(group);
    return group;
  }, program);
}

/** All commands. With `call`, commands of operations call it instead of the platform. */
export function createProgram(call?: Call): Command {
  const program = new Command('mp')
    .description('The command line of the marketing platform. Every operation of its API is a command.')
    .version(version)
    .showHelpAfterError('Add --help to see what the command takes.')
    .addHelpText(
      'after',
      `\nOutput is a table on a terminal, and JSON otherwise: one line per item for lists.\nEnvironment: MP_API_KEY, MP_BASE_URL, MP_PROFILE.\n\n${exitCodesText}\n\nExample:\n  mp contacts list --tag vip --limit 5`,
    );
  for (const command of loginCommands()) program.addCommand(command);
  for (const description of commands) {
    const make = call ? undefined : special[description.operationId];
    groupFor(program, description.words.slice(0, -1)).addCommand(make ? make(description) : operationCommand(description, call));
  }
  groupFor(program, ['contacts']).addCommand(importCommand());
  groupFor(program, ['webhooks']).addCommand(listenCommand());
  groupFor(program, ['events']).addCommand(tailCommand());
  program.addCommand(moveInCommand());
  program.addCommand(exportAccountCommand());
  groupFor(program, ['suppressions']).addCommand(importSuppressionsCommand());
  program.addCommand(mcpCommand());
  summarizeGroups(program);
  addCompletion(program);
  return withErrorsThrown(program);
}

const maxNamed = 6;

/** In the list of its parent, a group shows the commands it has. */
function summarizeGroups(command: Command): void {
  for (const group of command.commands.filter((child) => child.commands.length > 0)) {
    const names = group.commands.map((child) => child.name());
    group.summary(names.length > maxNamed ? `${names.slice(0, maxNamed).join(', ')} …` : names.join(', '));
    summarizeGroups(group);
  }
}

/** Errors of usage are thrown too, so that one place decides on the exit code. */
function withErrorsThrown(command: Command): Command {
  command.exitOverride();
  for (const child of command.commands) withErrorsThrown(child);
  return command;
}
