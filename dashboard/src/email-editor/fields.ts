import { createContext, use } from 'react';
import { useDeclaredTypes } from '../contact-fields/attributes.ts';
import { useCoupons } from '../coupons/coupons.ts';
import { useWholeList } from '../lists/use-whole-list.ts';

/** A field that an email can name: of the contact, or of what sends the email. */
export type MergeField = { field: string; label: string; fallback: string };

const known: readonly MergeField[] = [
  { field: 'contact.first_name', label: 'First name', fallback: 'there' },
  { field: 'contact.last_name', label: 'Last name', fallback: '' },
  { field: 'contact.email', label: 'Email', fallback: '' },
  { field: 'contact.company', label: 'Company', fallback: 'your company' },
  { field: 'contact.job_title', label: 'Job title', fallback: '' },
  { field: 'contact.phone', label: 'Phone', fallback: '' },
  { field: 'contact.address.city', label: 'City', fallback: 'your city' },
  { field: 'contact.address.country', label: 'Country', fallback: '' },
  { field: 'contact.external_id', label: 'External ID', fallback: '' },
  { field: 'unsubscribe_url', label: 'Unsubscribe link', fallback: '' },
];

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
  return [...known, ...coupons.rows.map(({ name }) => couponField(name)), ...[...types.keys()].map(attributeField), ...own];
}

/** What a chip shows for a field. */
export const labelOf = (field: string) =>
  known.find((one) => one.field === field)?.label ??
  field
    .replace(/^coupon\./, 'Coupon ')
    .replace(/^contact\.(attributes\.?)?/, '')
    .replace(/^\[(['"])(.*)\1\]$/, '$2');

/** Whose field it is. */
export const ownerOf = (field: string) => (/^(data|responses)\./.test(field) ? 'run' : 'contact');
