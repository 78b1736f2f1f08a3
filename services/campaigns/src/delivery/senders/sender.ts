import { domainKey } from '@mp/contracts/contact';
import { z } from 'zod';
import { DnsRecord } from './dns-records.ts';

/** A domain from which the account sends emails. */
export const Sender = z
  .object({
    id: z.string().describe('The ID of the sender.'),
    domain: z.string().describe('The domain of the addresses in `from`.'),
    status: z.enum(['pending', 'verified']).describe('`verified` once the required records were found; emails are then signed with DKIM.'),
    records: z.array(DnsRecord).describe('The DNS records to set.'),
    checked_at: z.iso.datetime().nullable().describe('When the records were last checked.'),
    created_at: z.iso.datetime().describe('When the sender was added.'),
  })
  .meta({ id: 'Sender' });
export type Sender = z.infer<typeof Sender>;

export const CreateSenderBody = z.strictObject({
  domain: z
    .string()
    .trim()
    .max(253)
    .transform((value, context) => {
      const key = domainKey(value);
      if (key === '' || !key.includes('.'))
        context.addIssue({ code: 'custom', message: 'expected a domain such as example.com', params: { code: 'invalid_format' } });
      return key;
    })
    .describe('The domain, such as `example.com`.'),
});
