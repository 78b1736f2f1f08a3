import { distinction } from './name-schemas.ts';
import type { Schema } from './openapi-types.ts';
import { rewrite } from './rewrite.ts';

const prefix = '#/components/schemas/';
const formats: Readonly<Record<string, string>> = {
  date: 'Date',
  'date-time': 'Date and time',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
};

/**
 * Gives every object in a union a title, so that readers see what they can choose from and not "object or object". A title in
 * a zod schema takes precedence; otherwise the value or field that distinguishes the option becomes its title.
 */
export function titleOptions<T extends { components: { schemas: Record<string, Schema> } }>(document: T): T {
  const { schemas } = document.components;
  const nameOf = ({ $ref }: Schema) => (typeof $ref === 'string' ? $ref.slice(prefix.length) : undefined);
  const resolved = (option: Schema) => schemas[nameOf(option) ?? ''] ?? option;
  const titles = new Map<string, string>();

  const titled = rewrite(document, (object) => {
    for (const union of ['anyOf', 'oneOf'] as const) {
      const options = object[union];
      if (!Array.isArray(options) || options.filter(({ type }) => type !== 'null').length < 2) continue;
      const all = options.map(resolved);
      const withTitles = options.map((option: Schema, index) => {
        const name = nameOf(option);
        const title = titleOf(all[index] ?? option, all);
        if (name === undefined) return title === undefined ? option : { ...option, title };
        if (title !== undefined && !titles.has(name)) titles.set(name, title);
        return option;
      });
      object = { ...object, [union]: withTitles };
    }
    return object;
  }) as T;
  const components = Object.entries(titled.components.schemas).map(([name, schema]): [string, Schema] => {
    const title = titles.get(name);
    return [name, title === undefined ? schema : { title, ...schema }];
  });
  return { ...titled, components: { ...titled.components, schemas: Object.fromEntries(components) } };
}

function titleOf(option: Schema, all: readonly Schema[]): string | undefined {
  if (typeof option.title === 'string') return option.title;
  if (option.properties !== undefined) return sentence(distinction(option, all));
  return typeof option.format === 'string' ? formats[option.format] : undefined;
}

/** `segment_entered` becomes `Segment entered`, and `external_id` becomes `External ID`. */
function sentence(name: string): string {
  const words = name.replaceAll(/[^A-Za-z0-9]+/g, ' ').replaceAll(/\bid\b/g, 'ID');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
