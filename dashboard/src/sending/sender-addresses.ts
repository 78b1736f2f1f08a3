/** The addresses to suggest for what is typed: those that sent before, and that name at every verified domain. */
export function senderAddresses(typed: string, used: readonly string[], domains: readonly string[]): string[] {
  const name = typed.split('@')[0]?.trim() || 'no-reply';
  return [...new Set([...used, ...domains.map((domain) => `${name}@${domain}`)])].filter((address) => address !== typed);
}
