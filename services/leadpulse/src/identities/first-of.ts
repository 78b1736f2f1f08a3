/** The contact of the first claim that means one: an event may name its contact in several ways, the most certain first. */
export function firstOf(claims: readonly string[], contacts: ReadonlyMap<string, string>): string | null {
  const claim = claims.find((one) => contacts.has(one));
  return claim === undefined ? null : (contacts.get(claim) ?? null);
}
