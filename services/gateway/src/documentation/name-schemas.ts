import { distinctOptions, valuesOf } from './distinct-options.ts';
import type { Operation, Schema } from './openapi-types.ts';
import { plainSchema } from './plain-schema.ts';

const prefix = '#/components/schemas/';
const json = 'application/json';

type Schemas = Record<string, Schema>;
type Paths = Record<string, Record<string, Operation>>;

/**
 * Names every schema that client generators turn into a type: envelopes, lists, and the objects and unions within them.
 * Equal schemas share one name, and no two schemas have the same name.
 */
export function nameSchemas<Document extends { paths: object; webhooks?: object; components: { schemas: Schemas } }>(
  document: Document,
): Document {
  const schemas: Schemas = {};
  const names = new Map<string, string>();
  const given = Object.keys(document.components.schemas);

  /** A reference to the schema. An equal schema that has a name keeps it; otherwise this takes the first free one. */
  function add({ description, deprecated, 'x-renamed-to': newName, ...schema }: Schema, ...wanted: string[]): Schema {
    const text = JSON.stringify(schema);
    const name = names.get(text) ?? freeName(wanted);
    names.set(text, name);
    schemas[name] ??= schema;
    return {
      $ref: `${prefix}${name}`,
      ...(description !== undefined && { description }),
      ...(deprecated !== undefined && { deprecated }),
      ...(newName !== undefined && { 'x-renamed-to': newName }),
    };
  }

  function freeName([first = 'Value', ...others]: string[]): string {
    const isFree = (name: string) => !(name in schemas) && !given.includes(name);
    for (const name of [first, ...others]) if (isFree(name)) return name;
    for (let number = 2; ; number += 1) if (isFree(`${first}${number}`)) return `${first}${number}`;
  }

  /** The schema with its inner objects and unions named after `name`; itself a reference if it is one of those. */
  function named(schema: Schema, name: string, ...others: string[]): Schema {
    const inner = within(schema, name);
    return isType(inner) ? add(inner, name, ...others) : inner;
  }

  /** The simplified schema, with its inner schemas named. */
  function within(spoken: Schema, name: string): Schema {
    const schema = plainSchema(spoken);
    const { properties, items, additionalProperties, anyOf, oneOf } = schema;
    return {
      ...schema,
      ...(isSchema(properties) && {
        properties: mapped(properties as Schemas, (member, key) => named(member, `${name}${pascal(key)}`)),
      }),
      ...(isSchema(items) && { items: named(items, `${name}Item`) }),
      ...(isSchema(additionalProperties) && { additionalProperties: named(additionalProperties, `${name}Value`) }),
      ...(Array.isArray(anyOf) && { anyOf: options(anyOf, name) }),
      ...(Array.isArray(oneOf) && { oneOf: options(oneOf, name) }),
    };
  }

  function options(all: readonly Schema[], name: string): Schema[] {
    const alone = all.filter(({ type }) => type !== 'null').length === 1;
    return all.map((option) => named(option, alone ? name : `${name}${pascal(distinction(option, all))}`));
  }

  /** Simplified but unnamed: generators name bodies after operations, and treat named schemas with defaults as responses. */
  function body(operation: Operation): Operation {
    const { requestBody } = operation;
    const media = requestBody?.content[json];
    if (!requestBody || !media?.schema) return operation;
    return {
      ...operation,
      requestBody: { ...requestBody, content: { ...requestBody.content, [json]: { ...media, schema: plain(media.schema) } } },
    };
  }

  /** The body that a webhook receives is a separate type, because the operation is the receiver's. */
  function received(operation: Operation, name: string): Operation {
    const { requestBody } = operation;
    const media = requestBody?.content[json];
    if (!requestBody || !media?.schema) return operation;
    const schema = named(media.schema, name);
    return { ...operation, requestBody: { ...requestBody, content: { ...requestBody.content, [json]: { ...media, schema } } } };
  }

  function parameters(operation: Operation): Operation {
    if (!operation.parameters) return operation;
    return { ...operation, parameters: operation.parameters.map((one) => (one.schema ? { ...one, schema: plain(one.schema) } : one)) };
  }

  function nameResponses(operation: Operation): Operation {
    const { operationId = '' } = operation;
    const responses = mapped(operation.responses, (response) => {
      const media = response.content?.[json];
      const schema = media?.schema;
      if (!response.content || !media || !schema || !isEnvelope(schema)) return response;
      const { properties } = schema as { properties: Schemas };
      const data = named(dataOf(properties), nameOfData(dataOf(properties)) ?? `${pascal(operationId)}Data`, `${pascal(operationId)}Data`);
      const envelope = within({ ...schema, properties: { ...properties, data } }, '');
      const about = typeof data.$ref === 'string' ? data.$ref.slice(prefix.length).replace(/Data$/, '') : pascal(operationId);
      return { ...response, content: { ...response.content, [json]: { ...media, schema: add(envelope, `${about}Response`) } } };
    });
    return { ...operation, responses };
  }

  for (const [name, schema] of Object.entries(document.components.schemas)) {
    schemas[name] = within(schema, name);
    names.set(JSON.stringify(schemas[name]), name);
  }
  const paths = mapped(document.paths as Paths, (byMethod) => mapped(byMethod, (operation) => nameResponses(body(parameters(operation)))));
  const webhooks = mapped((document.webhooks ?? {}) as Paths, (byMethod, type) =>
    mapped(byMethod, (operation) => received(operation, `${pascal(type)}Event`)),
  );
  const unions = mapped(schemas, (schema) => distinctOptions(schema, (ref) => schemas[ref.slice(prefix.length)] ?? {}));
  const sorted = Object.fromEntries(Object.entries(unions).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...document, paths, ...(document.webhooks && { webhooks }), components: { ...document.components, schemas: sorted } };
}

/** The schema and its inner schemas, simplified. */
function plain(spoken: Schema): Schema {
  const schema = plainSchema(spoken);
  const { properties, items, additionalProperties, anyOf, oneOf } = schema;
  return {
    ...schema,
    ...(isSchema(properties) && { properties: mapped(properties as Schemas, plain) }),
    ...(isSchema(items) && { items: plain(items) }),
    ...(isSchema(additionalProperties) && { additionalProperties: plain(additionalProperties) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(plain) }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map(plain) }),
  };
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the schema has fields, or is a union of several that do. */
function isType({ properties, anyOf, oneOf }: Schema): boolean {
  if (properties !== undefined) return true;
  const options = [anyOf ?? oneOf ?? []].flat() as Schema[];
  return options.filter(({ $ref }) => $ref !== undefined).length > 1;
}

const isEnvelope = ({ properties }: Schema) => isSchema(properties) && 'success' in properties && 'data' in properties;
const dataOf = ({ data = {} }: Schemas) => data;

/** Lists and deletions have the same kind of name everywhere. */
function nameOfData({ properties }: Schema): string | undefined {
  if (!isSchema(properties)) return undefined;
  const { items, pagination, deleted } = properties as Schemas;
  if (deleted !== undefined) return 'Deleted';
  const item = isSchema(items?.items) && typeof items.items.$ref === 'string' ? items.items.$ref.slice(prefix.length) : undefined;
  return pagination !== undefined && item !== undefined ? `${item}List` : undefined;
}

/** A name that distinguishes an option from the others: a value only it has for a field, or a field the others lack. */
export function distinction({ properties = {} }: Schema, all: readonly Schema[]): string {
  const members = properties as Schemas;
  const others = all.map((option) => (option.properties ?? {}) as Schemas).filter((option) => option !== members);
  const values = Object.entries(members).flatMap(([name, member]) => valuesOf(member).map((value) => ({ name, value: String(value) })));
  const own = values.find(({ name, value }) => others.every((other) => !valuesOf(other[name]).some((one) => one === value)));
  return own?.value ?? Object.keys(members).find((name) => others.every((other) => !(name in other))) ?? values[0]?.value ?? 'option';
}

const pascal = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

const mapped = <Value, Made>(record: Record<string, Value>, change: (value: Value, key: string) => Made): Record<string, Made> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
