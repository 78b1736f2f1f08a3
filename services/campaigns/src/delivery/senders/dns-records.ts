import { z } from 'zod';

export const DnsRecord = z.object({
  purpose: z
    .enum(['dkim', 'dmarc', 'spf', 'return_path'])
    .describe('`dkim` is required for the domain to be verified; the others are recommended.'),
  type: z.enum(['TXT', 'CNAME']).describe('The type of the record.'),
  name: z.string().describe('The name of the record.'),
  value: z.string().describe('The value to set.'),
  required: z.boolean().describe('Whether the domain is verified only with this record.'),
  found: z
    .boolean()
    .nullable()
    .describe('Whether the latest check found it; null before the first check, and while the DNS is unavailable.'),
});
export type DnsRecord = z.infer<typeof DnsRecord>;

/** What the operator has set up for all accounts. */
export type SendingSetup = { bounceDomain: string | undefined; spfInclude: string | undefined };

type Keys = { domain: string; selector: string; publicKey: string };

/** The return path of a domain is below it, so that it is aligned with the sender. */
export const returnPathDomain = (domain: string) => `bounces.${domain}`;

/** The records that a domain needs. */
export function recordsOf({ domain, selector, publicKey }: Keys, { bounceDomain, spfInclude }: SendingSetup): Omit<DnsRecord, 'found'>[] {
  return [
    {
      ...{ purpose: 'dkim', type: 'TXT', name: `${selector}._domainkey.${domain}`, required: true },
      value: `v=DKIM1; k=rsa; p=${publicKey}`,
    },
    { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none', required: false },
    ...(spfInclude === undefined
      ? []
      : [{ purpose: 'spf' as const, type: 'TXT' as const, name: domain, value: `v=spf1 include:${spfInclude} ~all`, required: false }]),
    ...(bounceDomain === undefined
      ? []
      : [
          { purpose: 'return_path' as const, type: 'CNAME' as const, name: returnPathDomain(domain), value: bounceDomain, required: false },
        ]),
  ];
}
