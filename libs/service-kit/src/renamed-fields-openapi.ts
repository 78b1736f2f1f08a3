type Schema = Record<string, unknown>;

/**
 * Documents the old name of each renamed field, beside the new one, as deprecated. A response has both names, so the old one is required
 * where the new one is; a request needs neither twice.
 */
export function describeOldNames(value: unknown, part: 'request' | 'response'): unknown {
  if (Array.isArray(value)) return value.map((item) => describeOldNames(item, part));
  if (!isRecord(value)) return value;
  const schema: Schema = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, describeOldNames(member, part)]));
  const { properties, required } = schema;
  if (!isRecord(properties)) return schema;
  const described = Object.entries(properties).flatMap(([name, field]) => (isRecord(field) ? describeBoth(name, field) : [[name, field]]));
  const needed = Array.isArray(required) ? required.flatMap((name) => [name, ...oldNameOf(properties[name])]) : required;
  return { ...schema, properties: Object.fromEntries(described), ...(part === 'response' && needed !== undefined && { required: needed }) };
}

function describeBoth(name: string, { formerly, ...field }: Schema): [string, Schema][] {
  if (typeof formerly !== 'string') return [[name, field]];
  const { default: _, ...former } = field;
  const description = `The former name of \`${name}\`.`;
  return [
    [name, field],
    [formerly, { ...former, description, deprecated: true, 'x-renamed-to': name }],
  ];
}

const oldNameOf = (field: unknown): string[] => (isRecord(field) && typeof field.formerly === 'string' ? [field.formerly] : []);

const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
