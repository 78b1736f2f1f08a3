import { errorCodes } from '@mp/contracts/errors';
import type { Operation, Parameter, Schema } from './openapi-types.ts';

/** The parts of the merged document that these pages use. */
export type Described = {
  info: { title: string; description?: string };
  tags: readonly { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
};

type Named = { method: string; path: string; operation: Operation };

export const operationsOf = ({ paths }: Described, tag: string): Named[] =>
  Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod)
      .filter(([, { tags = [] }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** A Markdown page with everything about one resource, for tools and readers without a browser. */
export function resourcePage(document: Described, tag: string): string {
  const operations = operationsOf(document, tag);
  const named = new Set<string>();
  const sections = operations.map((operation) => operationSection(document, operation, named));
  const shapes: string[] = [];
  for (const name of named) shapes.push(`### ${name}\n\n${fieldsTable(document.components.schemas[name] ?? {}, named)}`);
  return [
    `# ${tag}`,
    document.tags.find(({ name }) => name === tag)?.description ?? '',
    'Credentials, response format, lists and limits: [llms.txt](/llms.txt). The complete API: [openapi.json](/openapi.json).',
    ...sections,
    ...(shapes.length > 0 ? ['## Schemas', ...shapes] : []),
    '',
  ].join('\n\n');
}

function operationSection({ components }: Described, { method, path, operation }: Named, named: Set<string>): string {
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(parameter, components.parameters));
  const bodies = operation.requestBody?.content ?? {};
  const form = bodies['application/x-www-form-urlencoded'];
  const body = bodies['application/json'] ?? form;
  const parts = [`## ${operation.summary ?? operation.operationId}`, `\`${method} ${path}\``, operation.description ?? ''];
  if (parameters.length > 0) {
    const rows = parameters.map((parameter) => [
      `\`${parameter.name}\`${parameter.required ? ' (required)' : ''}`,
      parameter.in,
      typeOf(parameter.schema ?? {}, named),
      String(parameter.description ?? ''),
    ]);
    parts.push(table(['parameter', 'in', 'type', 'description'], rows));
  }
  if (body?.schema) {
    const members = fieldsTable(body.schema, named);
    if (body === form) parts.push(`**Form**: ${typeOf(body.schema, named)}`);
    else if (members !== '') parts.push('**Body**', members);
    if (body.example !== undefined) parts.push(json(body.example));
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    const content = response.content?.['application/json'];
    if (Number(status) >= 300 || !content?.schema) continue;
    const { data } = (resolvedSchema(content.schema, components.schemas).properties ?? {}) as Record<string, Schema>;
    parts.push(`**${status}** ${data ? `\`data\`: ${typeOf(data, named)}` : typeOf(content.schema, named)}`);
    if (content.example !== undefined) parts.push(json(content.example));
  }
  const failures = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
  const own = failures.filter(([, response]) => response.content !== undefined);
  if (own.length > 0) parts.push(own.map(([status, { description = '' }]) => `- ${status}: ${description}`).join('\n'));
  const enveloped = new Set(failures.filter((failure) => !own.includes(failure)).map(([status]) => status));
  const codes = Object.entries(errorCodes).filter(([, { status }]) => enveloped.has(String(status)));
  parts.push(
    `Errors${own.length > 0 ? ' in the standard format' : ''}: ${codes.map(([code, { status }]) => `${status} \`${code}\``).join(', ')}.`,
  );
  return parts.filter((part) => part !== '').join('\n\n');
}

export function resolved(parameter: Parameter & { $ref?: unknown }, known: Record<string, Parameter> = {}): Parameter {
  return typeof parameter.$ref === 'string' ? (known[parameter.$ref.split('/').at(-1) ?? ''] ?? parameter) : parameter;
}

const resolvedSchema = (schema: Schema, known: Record<string, Schema>): Schema =>
  typeof schema.$ref === 'string' ? (known[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

export const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
export const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** The fields of an object; nested fields have dotted paths. */
export function fieldsTable(schema: Schema, named: Set<string>): string {
  const rows = fieldRows(schema, '', named);
  return rows.length === 0 ? alternatives(schema, named) : table(['field', 'type', 'description'], rows);
}

function fieldRows({ properties, required }: Schema, prefix: string, named: Set<string>): string[][] {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries((properties ?? {}) as Record<string, Schema>).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const inner = plainObject(member);
    const row = [`\`${path}\`${needed.has(name) ? ' (required)' : ''}`, typeOf(member, named), String(member.description ?? '')];
    return inner ? [row, ...fieldRows(inner, `${path}.`, named)] : [row];
  });
}

const alternatives = (schema: Schema, named: Set<string>) => {
  const options = optionsOf(schema);
  return options.length === 0 ? '' : options.map((option) => `- ${optionType(option, named)}`).join('\n');
};

/** An option of a union: an inline object shows its fields, and other options show their titles if they have one. */
const optionType = (option: Schema, named: Set<string>) =>
  option.properties ? objectType(option, named) : typeof option.title === 'string' ? option.title : typeOf(option, named);

const optionsOf = ({ anyOf, oneOf }: Schema) => (anyOf ?? oneOf ?? []) as Schema[];

/** An inline object schema, nullable or not. */
function plainObject(schema: Schema): Schema | undefined {
  if (schema.properties) return schema;
  const options = optionsOf(schema).filter(({ type }) => type !== 'null');
  return options.length === 1 && options[0]?.properties ? options[0] : undefined;
}

function typeOf(schema: Schema, named: Set<string>): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    named.add(name);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const options = optionsOf(schema);
  if (options.length > 0) return options.map((option) => optionType(option, named)).join(' or ');
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items as Schema, named) : 'anything'}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  const bounds = [
    schema.format,
    schema.maxLength === undefined ? undefined : `≤ ${schema.maxLength} characters`,
    range(schema),
    schema.default === undefined ? undefined : `default \`${JSON.stringify(schema.default)}\``,
  ].filter((bound) => bound !== undefined);
  return `${schema.type ?? 'anything'}${bounds.length > 0 ? ` (${bounds.join(', ')})` : ''}`;
}

const objectType = ({ properties }: Schema, named: Set<string>) =>
  `{ ${Object.entries(properties as Record<string, Schema>)
    .map(([name, member]) => `\`${name}\`: ${typeOf(member, named)}`)
    .join(', ')} }`;

function range({ minimum, maximum }: Schema): string | undefined {
  if (typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER) return `${minimum ?? ''}–${maximum}`;
  return typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? `≥ ${minimum}` : undefined;
}
