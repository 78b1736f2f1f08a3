import { type OpenapiDocument, type Parameter, resolved, type Schema } from '@marketing-platform/sdk/generate/openapi-document';
import { type Operation, readOperations } from '@marketing-platform/sdk/generate/read-operations';
import type { CommandDescription, Flag, ValueType } from '../src/command-description.ts';

/** Flags of every command. A field with one of these names gets the prefix `field-`. */
const reserved = new Set([
  'all',
  'body',
  'help',
  'idempotency-key',
  'if-match',
  'json',
  'output',
  'profile',
  'version',
  'yes',
  'content-type',
]);
const maxExampleFlags = 3;

const kebab = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .join('-')
    .toLowerCase();

/** A period inside code does not end it. */
const firstSentence = (text: string) =>
  (/^(?:`[^`]*`|[^`])*?[.:;](?=\s|$)/.exec(text)?.[0] ?? text).replace(/[:;]$/, '.').replaceAll('`', '');
const isText = (value: unknown): value is string => typeof value === 'string';

function valueType(document: OpenapiDocument, given: Schema): { type: ValueType; choices?: string[] } {
  const schema = resolved(document, given);
  const options = (schema.anyOf ?? schema.oneOf)?.filter((option) => option.type !== 'null');
  if (options) {
    const [first, ...others] = options.map((option) => valueType(document, option));
    return first && others.every(({ type }) => type === first.type) ? first : { type: 'json' };
  }
  const types = [schema.type].flat().filter((type) => type !== undefined && type !== 'null');
  const choices = schema.enum?.filter(isText);
  if (types.length !== 1) return { type: types.includes('string') || choices ? 'text' : 'json' };
  if (types[0] === 'integer' || types[0] === 'number') return { type: 'number' };
  if (types[0] === 'boolean') return { type: 'boolean' };
  if (types[0] === 'array') return { type: valueType(document, schema.items ?? {}).type === 'text' ? 'list' : 'json' };
  if (types[0] === 'object') return { type: 'json' };
  return { type: 'text', ...(choices && choices.length > 0 && { choices }) };
}

function flagsOf(document: OpenapiDocument, { query, body }: Operation): Flag[] {
  const fields = body && body.kind !== 'file' ? Object.entries(body.schema.properties ?? {}) : [];
  const flags: Flag[] = [];
  const add = (name: string, source: Flag['in'], schema: Schema, description = '') => {
    const plain = kebab(name);
    const flag = reserved.has(plain) || flags.some((other) => other.flag === plain) ? `field-${plain}` : plain;
    flags.push({ flag, name, in: source, ...valueType(document, schema), description: firstSentence(description) });
  };
  for (const { name = '', schema = {}, description } of query) add(name, 'query', schema, description);
  for (const [name, schema] of fields) add(name, 'body', schema, resolved(document, schema).description ?? schema.description);
  return flags;
}

function exampleValue(flag: Flag, value: unknown): string | undefined {
  if (flag.type === 'list') return Array.isArray(value) && value.every(isText) ? value.join(',') : undefined;
  if (flag.type === 'json' || typeof value === 'object') return undefined;
  return String(value).replace(/^@/, '@@');
}

/** The arguments of a call that the platform accepts, from the examples of the document. */
function exampleOf({ parameters, query, body }: Operation, flags: readonly Flag[]): string[] {
  const given = (parameter: Parameter) => String(parameter.example ?? `${parameter.name?.replace(/_?id$/, '') || 'resource'}_…`);
  const args = parameters.map(given);
  for (const parameter of query) {
    const flag = flags.find((one) => one.name === parameter.name && one.in === 'query');
    if (flag && parameter.example !== undefined && args.length < parameters.length + 2 * maxExampleFlags)
      args.push(`--${flag.flag}`, String(parameter.example));
  }
  if (body?.kind === 'file') return [...args, '--body', `@contacts.${body.types[0]?.includes('csv') ? 'csv' : 'ndjson'}`];
  const example = body?.media.example ?? Object.values(body?.media.examples ?? {})[0]?.value;
  if (typeof example !== 'object' || example === null) return body?.required ? [...args, '--body', '@body.json'] : args;
  const pairs = Object.entries(example).map(([name, value]) => {
    const flag = flags.find((one) => one.name === name && one.in === 'body');
    return [flag, flag && exampleValue(flag, value)] as const;
  });
  if (pairs.length > maxExampleFlags || pairs.some(([flag, value]) => !flag || value === undefined))
    return [...args, '--body', '@body.json'];
  return [...args, ...pairs.flatMap(([flag, value]) => (flag && value !== undefined ? [`--${flag.flag}`, value] : []))];
}

function describe(document: OpenapiDocument, operation: Operation): CommandDescription {
  const flags = flagsOf(document, operation);
  const { body, cursorIn } = operation;
  const words = [...operation.namespace, operation.method].map(kebab);
  return {
    words,
    operationId: operation.operationId,
    method: operation.httpMethod,
    path: operation.path,
    summary: operation.summary,
    description: operation.description,
    args: operation.parameters.map(({ name = '', description = '' }) => ({ name, description })),
    flags,
    ...(body && { body: { kind: body.kind, types: body.types, required: body.required ? (body.schema.required ?? []) : [] } }),
    ...(cursorIn && { cursorIn }),
    isWrite: operation.idempotencyKey,
    ifMatch: operation.ifMatch,
    isPublic: operation.isPublic,
    returns: operation.returns,
    example: [...words, ...exampleOf(operation, flags)],
  };
}

/** A command for each operation of the document. */
export function commandsFile(document: OpenapiDocument): string {
  const commands = readOperations(document).map((operation) => describe(document, operation));
  return `// Generated by \`npm run generate\` from the OpenAPI document.
import type { CommandDescription } from '../command-description.ts';

export const commands: readonly CommandDescription[] = ${JSON.stringify(commands, null, 2)};
`;
}
