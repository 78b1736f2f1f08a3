import { Command, Option } from 'commander';
import { callOperation, type Given } from './call-operation.ts';
import type { CommandDescription, Flag } from './command-description.ts';
import { confirmed } from './confirmed.ts';
import { connect } from './connect.ts';
import { exitCodes } from './exit-codes.ts';
import { hasIrreversibleAction, irreversibleAction, isIrreversible } from './irreversible.ts';
import { terminal } from './output.ts';

const placeholders: Record<Flag['type'], string> = {
  text: '<text>',
  number: '<number>',
  boolean: '[boolean]',
  list: '<a,b>',
  json: '<json>',
};

const quoted = (word: string) => (/^[\w@.,:/=+…-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

export const exampleText = (words: readonly string[]) => `mp ${words.map(quoted).join(' ')}`;

function optionFor(flag: Flag): Option {
  const option = new Option(`--${flag.flag} ${placeholders[flag.type]}`, flag.description);
  return flag.choices ? option.choices(flag.choices) : option;
}

/** Commander turns `created-at-gte` into `createdAtGte`; commands read flags as they were written. */
export function givenFlags(command: Command): Given {
  const given: Given = {};
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (typeof value === 'string' || value === true) given[option.long?.slice(2) ?? option.name()] = value;
  }
  return given;
}

export type Call = (description: CommandDescription, args: string[], given: Given) => Promise<void>;

const callPlatform: Call = async (command, args, given) =>
  callOperation({
    mp: await connect(typeof given.profile === 'string' ? given.profile : undefined),
    command,
    args,
    given,
    output: terminal,
  });

/** The command of one operation: its arguments, a flag for each parameter and field, and an example in its help. */
export function operationCommand(description: CommandDescription, call: Call = callPlatform): Command {
  const command = new Command(description.words.at(-1))
    .summary(description.summary)
    .description(`${description.summary}.\n\n${description.description}`.trim());
  for (const { name, description: about } of description.args) command.argument(`<${name.replaceAll('_', '-')}>`, about);
  for (const flag of description.flags) command.addOption(optionFor(flag));
  const { body, isWrite, ifMatch, cursorIn, returns } = description;
  if (body)
    command.option(
      '--body <body>',
      body.kind === 'file'
        ? 'The file: @contacts.csv, or - for standard input'
        : 'The whole body: JSON, @file.json, or - for standard input',
    );
  if (body?.kind === 'file')
    command.addOption(new Option('--content-type <type>', 'By default, taken from the file name').choices(body.types));
  if (isWrite) command.option('--idempotency-key <key>', 'Makes a repeated call return the first result');
  if (ifMatch) command.option('--if-match <etag>', 'Fails if the resource has changed since');
  if (cursorIn) command.option('--all', 'Every page');
  if (returns === 'file') command.option('--output <file>', 'Writes to a file instead of standard output');
  command.option('--json', cursorIn ? 'One line of JSON per item, even on a terminal' : 'JSON (the default)');
  if (isIrreversible(description) || hasIrreversibleAction(description)) command.option('--yes', 'Do not ask on a terminal');
  command.option('--profile <name>', 'The profile of mp login to use');
  command.addHelpText('after', `\nExample:\n  ${exampleText(description.example)}`);
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, description.args.length).map(String);
    const flags = givenFlags(command);
    const action = await irreversibleAction(description, flags);
    const question = `${[description.summary, action, args[0]].filter((part) => part !== undefined).join(': ')}?`;
    if ((isIrreversible(description) || action !== undefined) && !(await confirmed(question, flags))) {
      terminal.note('Nothing was changed.\n');
      process.exitCode = exitCodes.failed;
      return;
    }
    await call(description, args, flags);
  });
}
