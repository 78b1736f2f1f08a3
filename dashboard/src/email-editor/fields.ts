import { createContext, use } from 'react';
import { useDeclaredTypes } from '../contact-fields/attributes.ts';
import { useCoupons } from '../coupons/coupons.ts';
import { contactFields, type MergeField } from '../email-design/merge-fields.ts';
import { useWholeList } from '../lists/use-whole-list.ts';

/** Liquid reads an attribute by its name only if that is a word. */
const attributePath = (key: string) =>
  /^[a-z_]\w*$/i.test(key) ? `contact.attributes.${key}` : `contact.attributes['${key.replaceAll("'", '')}']`;

export const attributeField = (key: string): MergeField => ({ field: attributePath(key), label: key, fallback: '' });

/** The code that a recipient gets of a coupon. */
const couponField = (name: string): MergeField => ({ field: `coupon.${name}`, label: `Coupon ${name}`, fallback: '' });

/** Fields that only the email on the page can name, such as the data of its workflow. */
export const OwnFieldsContext = createContext<readonly MergeField[]>([]);

/** Every field, coupon and attribute of the account, and the email's own fields. */
export function useMergeFields(): readonly MergeField[] {
  const types = useDeclaredTypes();
  const own = use(OwnFieldsContext);
  const coupons = useWholeList(useCoupons());
  return [...contactFields, ...coupons.rows.map(({ name }) => couponField(name)), ...[...types.keys()].map(attributeField), ...own];
}

/** Whose field it is. */
export const ownerOf = (field: string) => (/^(data|responses)\./.test(field) ? 'run' : 'contact');
