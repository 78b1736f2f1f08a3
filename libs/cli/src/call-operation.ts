import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiRequest, MarketingPlatform, RequestOptions } from '@marketing-platform/sdk';
import type { CommandDescription } from './command-description.ts';
import { type Output, printData, printItems } from './output.ts';
import { contentOf, fileOf, flagValue, parseJson } from './read-values.ts';
import { UsageError } from './usage-error.ts';

/** The values of flags by their names as written on the command line, without dashes. */
export type Given = Record<string, string | true>;

type Page = { items: unknown[]; pagination: { next_cursor: string | null } };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: string | true | undefined) => (typeof value === 'string' ? value : undefined);
const isPage = (value: unknown): value is Page => isObject(value) && Array.isArray(value.items) && isObject(value.pagination);

/** `csv` or `ndjson` by the name of the file. */
const typeOf = (types: readonly string[], file: string) =>
  types.find((type) => /\.(ndjson|jsonl)$/.test(file) === type.includes('ndjson')) ?? types[0] ?? '';

/** The request of a command. Flags add to the fields of `--body` and override them. */
export async function requestFor(command: CommandDescription, args: readonly string[], given: Given): Promise<ApiRequest> {
  const path = command.args.reduce((text, { name }, index) => {
    const value = args[index] ?? '';
    if (value === '' || value === '.' || value === '..') throw new UsageError(`<${name}> is empty.`);
    return text.replace(`{${name}}`, encodeURIComponent(value));
  }, command.path);
  const [query, fields]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  for (const flag of command.flags) {
    const value = given[flag.flag];
    if (value !== undefined) (flag.in === 'query' ? query : fields)[flag.name] = await flagValue(flag, value);
  }
  const request: ApiRequest = { method: command.method, path, query, isWrite: command.isWrite, isPublic: command.isPublic };
  const { body } = command;
  const whole = textOf(given.body);
  if (!body) return request;
  if (body.kind === 'file') {
    if (whole === undefined) throw new UsageError('Pass the file: --body @contacts.csv, or --body - for standard input.');
    return { ...request, file: { body: await fileOf(whole), type: textOf(given['content-type']) ?? typeOf(body.types, whole) } };
  }
  const base = whole === undefined ? {} : parseJson(await contentOf(whole), '--body');
  if (!isObject(base)) throw new UsageError('--body must be a JSON object.');
  const merged = { ...base, ...fields };
  const missing = body.required.filter((name) => !(name in merged));
  if (missing.length > 0) {
    const flags = missing.map((name) => `--${command.flags.find((flag) => flag.name === name && flag.in === 'body')?.flag ?? name}`);
    throw new UsageError(`Missing: ${flags.join(', ')}. Pass flags, --body @file.json, or --body - for standard input.`);
  }
  if (body.kind === 'form') return { ...request, form: merged };
  return Object.keys(merged).length > 0 || whole !== undefined || body.required.length > 0 ? { ...request, body: merged } : request;
}

function optionsFor(given: Given): RequestOptions {
  const [idempotencyKey, ifMatch] = [textOf(given['idempotency-key']), textOf(given['if-match'])];
  return { ...(idempotencyKey !== undefined && { idempotencyKey }), ...(ifMatch !== undefined && { ifMatch }) };
}

type Call = { mp: MarketingPlatform; command: CommandDescription; args: readonly string[]; given: Given; output: Output };

/** Calls the operation and prints its result. */
export async function callOperation({ mp, command, args, given, output }: Call): Promise<void> {
  const request = await requestFor(command, args, given);
  const options = optionsFor(given);
  const asTable = output.isTerminal && !given.json;
  if (command.returns === 'file') {
    const { body } = await mp.requestRaw(request, options);
    const file = textOf(given.output);
    if (body)
      await pipeline(Readable.fromWeb(body), file === undefined ? process.stdout : createWriteStream(file), { end: file !== undefined });
    return;
  }
  if (!command.cursorIn) {
    const data =
      command.returns === 'nothing' ? await mp.requestRaw(request, options).then(() => undefined) : await mp.request(request, options);
    if (data !== undefined) printData(output, data);
    return;
  }
  let next: string | null = null;
  do {
    const cursor = next === null ? {} : { cursor: next };
    const data: unknown = await mp.request(
      command.cursorIn === 'query'
        ? { ...request, query: { ...request.query, ...cursor } }
        : { ...request, body: { ...(isObject(request.body) && request.body), ...cursor } },
      options,
    );
    if (!isPage(data)) return printData(output, data);
    printItems(output, data.items, asTable);
    if (asTable && data.items.length === 0) output.note('No results.\n');
    next = data.pagination.next_cursor;
  } while (given.all && next !== null);
  if (next !== null && output.isTerminal) output.note(`There are more. Add --all, or --cursor ${next}\n`);
}
