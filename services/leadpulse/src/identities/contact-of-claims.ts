import type { ContactId } from '@mp/ids';
/** The contact of the first claim that resolves to one. Claims are in order of precedence. */
export function contactOfClaims(claims: readonly string[], contacts: ReadonlyMap<string, ContactId>): ContactId | null {
  const claim = claims.find((one) => contacts.has(one));
  return claim === undefined ? null : (contacts.get(claim) ?? null);
}
