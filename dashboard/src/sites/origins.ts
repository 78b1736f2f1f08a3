const example = 'https://shop.example.com';

/** What is wrong with the addresses of a website, or null. The API checks the rest. */
export function originsError(origins: readonly string[]): string | null {
  if (origins.length === 0) return 'Enter the address of your website.';
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong === undefined) return null;
  return `“${wrong}” is not the address of a website. Write ${originIn(wrong) ?? `it like ${example}`}, without a path.`;
}

function isOrigin(text: string): boolean {
  const plain = withoutWildcard(text.trim().toLowerCase());
  return /^https?:/.test(plain) && URL.canParse(plain) && new URL(plain).origin === plain;
}

/** The origin that a URL or a host probably means. */
function originIn(text: string): string | undefined {
  const url = text.includes('://') ? text : `https://${text}`;
  if (!/^https?:/.test(url) || !URL.canParse(url)) return undefined;
  const { origin, hostname } = new URL(url);
  return hostname.includes('.') ? origin : undefined;
}

const withoutWildcard = (text: string) => text.replace('://*.', '://');
