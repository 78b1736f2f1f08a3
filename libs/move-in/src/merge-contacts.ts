import { addressKey } from './clean-fields.ts';
import type { Consent, MovedContact, Note } from './records.ts';

/** A subscription to one list counts although the contact has left another one, whose segment it does not enter. */
const strength: readonly Consent['status'][] = ['pending', 'unsubscribed', 'subscribed'];

function strongest(a: Consent | null, b: Consent | null): Consent | null {
  if (!a || !b) return a ?? b;
  if (a.status !== b.status) return strength.indexOf(a.status) > strength.indexOf(b.status) ? a : b;
  return (b.at ?? '') > (a.at ?? '') ? b : a;
}

const union = (a: readonly string[] = [], b: readonly string[] = []) => [...new Set([...a, ...b])];

/** The contacts of all lists, one for each address. Of two values of a field, the first one counts. */
export function mergeContacts(contacts: Iterable<MovedContact>, note: (note: Note) => void): Map<string, MovedContact> {
  const byAddress = new Map<string, MovedContact>();
  for (const contact of contacts) {
    const key = addressKey(contact.email);
    const before = byAddress.get(key);
    if (!before) {
      byAddress.set(key, contact);
      continue;
    }
    note({ about: 'contacts', why: 'occur more than once and become one' });
    const tags = union(before.fields.tags, contact.fields.tags).slice(0, 100);
    const attributes = { ...contact.fields.attributes, ...before.fields.attributes };
    const sms = strongest(before.sms ?? null, contact.sms ?? null);
    byAddress.set(key, {
      ...before,
      fields: { ...contact.fields, ...before.fields, ...(tags.length > 0 && { tags }), attributes },
      consent: strongest(before.consent, contact.consent),
      ...(sms && { sms }),
      lists: union(before.lists, contact.lists),
      left: union(before.left, contact.left),
    });
  }
  for (const contact of byAddress.values()) {
    const left = contact.left?.filter((list) => !contact.lists.includes(list)) ?? [];
    if (left.length > 0 && contact.consent?.status === 'subscribed')
      note({
        about: 'contacts',
        why: 'have left one list and are subscribed to another: they are subscribed, without the segment of the list they left',
      });
  }
  keepOnce(byAddress.values(), note);
  return byAddress;
}

/** Phone numbers and external IDs are unique: only the first contact keeps one. */
function keepOnce(contacts: Iterable<MovedContact>, note: (note: Note) => void) {
  const taken = { phone: new Set<string>(), external_id: new Set<string>() };
  for (const { fields } of contacts)
    for (const name of ['phone', 'external_id'] as const) {
      const value = fields[name];
      if (value === undefined || taken[name].size !== taken[name].add(value).size) continue;
      delete fields[name];
      note({ about: name, why: 'belongs to more than one contact; the first one keeps it' });
    }
}
