type Row = Record<string, unknown>;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Consent that does not exist is left out rather than cleared: it would also clear an unsubscription that the contact gave here. */
function given(consent: unknown): Row {
  if (!isRow(consent)) return {};
  const channels = Object.entries(consent).filter(([name, value]) => name !== 'topics' && value !== null);
  const topics = Object.entries(isRow(consent.topics) ? consent.topics : {}).flatMap(([topic, value]) => {
    const own = given(value);
    return Object.keys(own).length > 0 ? [[topic, own] as const] : [];
  });
  return { ...Object.fromEntries(channels), ...(topics.length > 0 && { topics: Object.fromEntries(topics) }) };
}

/** The attribute that keeps when a contact was created in the account it comes from: `created_at` is when it was created here. */
export const createdKey = 'original_created_at';
const maxAttributes = 200;

/** A contact of an export as a row of an import. */
export function contactRow({ id: _, status: __, consent, created_at, attributes, ...row }: Row): Row {
  const before = isRow(attributes) ? attributes : {};
  const fits = createdKey in before || Object.keys(before).length < maxAttributes;
  const own = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  return {
    ...own,
    attributes: { ...(fits && typeof created_at === 'string' && { [createdKey]: created_at }), ...before },
    consent: given(consent),
  };
}

/** How a member or an event names its contact. */
export type Identifiers = { email?: string; external_id?: string; phone?: string };

export function identifiersOf({ email, external_id, phone }: Row): Identifiers {
  if (typeof email === 'string') return { email };
  if (typeof external_id === 'string') return { external_id };
  return typeof phone === 'string' ? { phone } : {};
}
