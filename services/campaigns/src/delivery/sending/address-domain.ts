import { domainKey } from '@mp/contracts/contact';

/** The domain of an email address in its DNS form. */
export function domainOfAddress(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domainKey(domain) || domain.toLowerCase();
}

/** The address with its domain in the ASCII form of the DNS, which every mail server accepts. */
export function inAscii(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + (domainKey(email.slice(at)) || email.slice(at));
}
