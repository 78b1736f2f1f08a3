import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { z } from 'zod';
import { offerHelp, refuseArguments } from './command.ts';

/** Parses the options of a command and validates them with its schema. Reports all faults at once and exits with 1. */
export function readArguments<Schema extends z.ZodType>(
  names: readonly string[],
  schema: Schema,
  usage: string,
  args: readonly string[] = process.argv.slice(2),
): z.output<Schema> {
  offerHelp(usage);
  const options: ParseArgsOptionsConfig = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const { values, positionals, tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  const faults = tokens.flatMap((token) => {
    if (token.kind !== 'option') return [];
    if (!names.includes(token.name)) return [`${token.rawName} is not an option of this command`];
    return token.value === undefined ? [`${token.rawName} needs a value`] : [];
  });
  faults.push(...positionals.map((text) => `${text} is not expected here; options start with --`));
  const result = schema.safeParse(values);
  if (result.success && faults.length === 0) return result.data;
  const issues = result.success ? [] : result.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`);
  refuseArguments([...faults, ...issues], usage);
}

const durationPattern = /^P(?=\d|T\d)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?)?$/;

/** `P30D`, `P2W`, `PT12H` → milliseconds. Months and years are not supported because their length varies. */
export function durationMs(text: string): number | undefined {
  const found = durationPattern.exec(text);
  if (!found) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0] = found.slice(1).map((digits) => Number(digits ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000;
}
