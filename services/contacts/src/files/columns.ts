import { AttributeType } from '../attributes/attribute-type.ts';
import { attributeKey } from '../contacts/contact-body.ts';

/** Says that nothing is known of a consent, where an empty cell would leave it to the account's default. */
export const unknownConsent = 'none';

/**
 * What a line of JSON tells of its attributes beside their values: the type of each whose value, seen alone, is of another.
 * Text that looks like a date is the only such value.
 */
export const attributeTypesMember = 'attribute_types';

export type AttributeColumn = { key: string; type: AttributeType | undefined };

export const attributeColumnName = ({ key, type }: { key: string; type: AttributeType }) => `attributes.${key}:${type}`;

/** The attribute a name such as `attributes.seats` or `attributes.seats:number` means. */
export function attributeColumn(name: string): AttributeColumn | undefined {
  if (!name.startsWith('attributes.')) return undefined;
  const [key = '', type, ...rest] = name.slice('attributes.'.length).split(':');
  if (!attributeKey.safeParse(key).success || rest.length > 0) return undefined;
  if (type === undefined) return { key, type: undefined };
  const known = AttributeType.safeParse(type);
  return known.success ? { key, type: known.data } : undefined;
}
