import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';

const domains = disposableEmailBlocklistSet();

/** Whether the address belongs to a disposable email service, or to a subdomain of one. */
export function isDisposable(email: string): boolean {
  const labels = email
    .slice(email.lastIndexOf('@') + 1)
    .toLowerCase()
    .split('.');
  return labels.some((_, index) => domains.has(labels.slice(index).join('.')));
}
