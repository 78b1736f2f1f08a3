import type { Contact } from '@mp/contracts/contact';
import type { ContactChange } from '../contacts/contact-body.ts';

const isGiven = ([, value]: readonly [string, unknown]) => value !== undefined && value !== null;

/** The entries of `more` for which `before` has no value. */
function missingIn<Value>(before: object | null, more: { [name: string]: Value } | null | undefined): { [name: string]: Value } {
  const known = new Map(Object.entries(before ?? {}));
  return Object.fromEntries(Object.entries(more ?? {}).filter((entry) => isGiven(entry) && known.get(entry[0]) == null));
}

/**
 * The fields of a submission that a contact takes: those for which it has no value, or all with `overwrite`, because somebody who knows
 * an address must not rewrite the data of its owner. The spelling of the email stays as it is.
 */
export function fillEmpty(contact: Contact, { email: _, ...fields }: ContactChange, overwrite: boolean): ContactChange {
  if (overwrite) return fields;
  const { address, attributes, ...own } = fields;
  const [lines, values] = [missingIn(contact.address, address), missingIn(contact.attributes, attributes)];
  return {
    ...missingIn(contact, own),
    ...(Object.keys(lines).length > 0 && { address: lines }),
    ...(Object.keys(values).length > 0 && { attributes: values }),
  };
}
