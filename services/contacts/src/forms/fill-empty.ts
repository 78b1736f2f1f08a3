import type { Contact } from '@mp/contracts/contact';
import { type ContactChange, fitAttributes, maxAttributes } from '../contacts/contact-body.ts';

const isGiven = ([, value]: readonly [string, unknown]) => value !== undefined && value !== null;

/** The entries of `more` for which `before` has no value. */
function missingIn<Value>(before: object | null, more: { [name: string]: Value } | null | undefined): { [name: string]: Value } {
  const known = new Map(Object.entries(before ?? {}));
  return Object.fromEntries(Object.entries(more ?? {}).filter((entry) => isGiven(entry) && known.get(entry[0]) == null));
}

/** The entries of `more` that fit beside those of `before`. */
function fitting(before: Contact['attributes'], more: ContactChange['attributes']): NonNullable<ContactChange['attributes']> {
  let after: object = before;
  const fits = ([key, value]: readonly [string, unknown]) => {
    const next = { ...after, [key]: value };
    if (Object.keys(next).length > maxAttributes || !fitAttributes(next)) return false;
    after = next;
    return true;
  };
  return Object.fromEntries(Object.entries(more ?? {}).filter(fits));
}

/**
 * The fields of a submission that a contact takes: those for which it has no value, or all with `overwrite`, because somebody who knows
 * an address must not rewrite the data of its owner. The spelling of the email stays as it is. Attributes for which the contact has no
 * room are left out: an error would tell that the address is known.
 */
export function fillEmpty(contact: Contact, { email: _, ...fields }: ContactChange, overwrite: boolean): ContactChange {
  const { address, attributes, ...own } = fields;
  const values = fitting(contact.attributes, overwrite ? attributes : missingIn(contact.attributes, attributes));
  if (overwrite) return { ...fields, attributes: values };
  const lines = missingIn(contact.address, address);
  return {
    ...missingIn(contact, own),
    ...(Object.keys(lines).length > 0 && { address: lines }),
    ...(Object.keys(values).length > 0 && { attributes: values }),
  };
}
