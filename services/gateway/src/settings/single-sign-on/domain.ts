import { randomBytes } from 'node:crypto';
import { type AccountId, newId } from '@mp/ids';
import { z } from 'zod';
import { Domain } from './identity-provider.ts';

type DomainId = ReturnType<typeof newId<'domain'>>;

/** The maximum of domains per account. */
export const maxDomains = 100;

export const CreateDomainBody = z.strictObject({
  domain: Domain.describe('The domain, such as `example.com`. Its subdomains are not included.'),
});

/** A domain whose users may be linked and created by single sign-on, once the account has proven that it is its own. */
export const SignInDomain = z
  .object({
    id: z.string().describe('The ID of the domain.'),
    domain: z.string().describe('The domain of the email addresses.'),
    status: z.enum(['pending', 'verified']).describe('`verified` once the record was found.'),
    record: z
      .object({
        type: z.literal('TXT').describe('The type of the record.'),
        name: z.string().describe('The name of the record.'),
        value: z.string().describe('The value to set.'),
      })
      .describe('The DNS record that proves the domain.'),
    checked_at: z.iso.datetime().nullable().describe('When the record was last looked up. Null: never.'),
    verified_at: z.iso.datetime().nullable().describe('Since when the domain is verified. Null: it is not.'),
    created_at: z.iso.datetime().describe('When the domain was added.'),
  })
  .meta({ id: 'SignInDomain' });
type SignInDomain = z.infer<typeof SignInDomain>;

export type DomainRow = {
  id: DomainId;
  account_id: AccountId;
  domain: string;
  /** What the record must contain. Random, so that a record of another account proves nothing. */
  token: string;
  checked_at: Date | null;
  verified_at: Date | null;
  created_at: Date;
};

export const newDomain = (account_id: AccountId, domain: string, now = new Date()): DomainRow => ({
  ...{ id: newId('domain'), account_id, domain, token: randomBytes(20).toString('base64url') },
  ...{ checked_at: null, verified_at: null, created_at: now },
});

export const recordOf = ({ domain, token }: Pick<DomainRow, 'domain' | 'token'>) => ({
  ...{ type: 'TXT' as const, name: `_marketing-platform.${domain}`, value: `marketing-platform-verification=${token}` },
});

export const domainView = ({ id, domain, token, checked_at, verified_at, created_at }: DomainRow): SignInDomain => ({
  ...{ id, domain, status: verified_at ? 'verified' : 'pending', record: recordOf({ domain, token }) },
  checked_at: checked_at?.toISOString() ?? null,
  verified_at: verified_at?.toISOString() ?? null,
  created_at: created_at.toISOString(),
});
