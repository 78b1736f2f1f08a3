import { domainKey } from '@mp/contracts/contact';

/** The domain of an email address in its DNS form. */
export function domainOfAddress(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domainKey(domain) || domain.toLowerCase();
}
