import { type DateOrder, dateOrders } from '@mp/contracts/import-cells';
import { AttributeType } from '../attributes/attribute-type.ts';
import { attributeKey } from '../contacts/contact-body.ts';

/** Marks a consent as unknown; an empty cell would apply the account's default instead. */
export const unknownConsent = 'none';

/**
 * The field of an NDJSON line with the types of attributes whose values alone would suggest another type. Only text that
 * looks like a date needs it.
 */
export const attributeTypesMember = 'attribute_types';

/** `order` is that of the dates in the column, unless they are written as `2026-12-31`. */
export type AttributeColumn = { key: string; type: AttributeType | undefined; order?: DateOrder };

export const attributeColumnName = ({ key, type }: { key: string; type: AttributeType }) => `attributes.${key}:${type}`;

/** The attribute named by a column such as `attributes.seats`, `attributes.seats:number` or `attributes.born:date:dmy`. */
export function attributeColumn(name: string): AttributeColumn | undefined {
  if (!name.startsWith('attributes.')) return undefined;
  const [key = '', type, written, ...rest] = name.slice('attributes.'.length).split(':');
  if (!attributeKey.safeParse(key).success || rest.length > 0) return undefined;
  if (type === undefined) return { key, type: undefined };
  const known = AttributeType.safeParse(type);
  if (!known.success) return undefined;
  if (written === undefined) return { key, type: known.data };
  const order = known.data === 'date' ? dateOrders.find((one) => one === written) : undefined;
  return order && { key, type: known.data, order };
}
