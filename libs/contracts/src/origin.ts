import { z } from 'zod';

const maxOriginLength = 260;

/** An origin as browsers send it, or one whose host begins with `*.`, which stands for all of its subdomains. */
export const Origin = z
  .string()
  .trim()
  .toLowerCase()
  .max(maxOriginLength)
  .refine(isOrigin, {
    message: 'expected an origin without a path, such as https://example.com or https://*.example.com',
    params: { code: 'invalid_origin' },
  })
  .describe('Scheme, host and port; a host that begins with `*.` stands for all of its subdomains.');

function isOrigin(text: string): boolean {
  const plain = text.replace('://*.', '://');
  if (!/^https?:\/\//.test(plain) || !URL.canParse(plain)) return false;
  const { origin, hostname } = new URL(plain);
  return origin === plain && !plain.includes('*') && (plain === text || hostname.includes('.'));
}

/** Whether the value of an `Origin` header is one of these origins. */
export function allowsOrigin(origins: readonly string[], origin: string): boolean {
  return origins.some((allowed) => {
    const [scheme = '', domain] = allowed.split('*');
    return domain === undefined ? allowed === origin : origin.startsWith(scheme) && origin.endsWith(domain) && isOrigin(origin);
  });
}
