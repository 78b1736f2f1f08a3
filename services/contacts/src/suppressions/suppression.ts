import { exactlyOneOf } from '@mp/contracts/constraints';
import { domainKey, Email, emailKey, type SuppressionKind, SuppressionReason, suppressionHash } from '@mp/contracts/contact';
import { PastMoment } from '@mp/contracts/moment';
import type { AccountId } from '@mp/ids';
import { z } from 'zod';

/** An address, or every address of a domain, that the account never emails, regardless of consent. */
export const Suppression = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe('null for a domain, or if only the hash is kept.'),
    domain: z.string().nullable(),
    hash: z.string().describe('Identifies the address or domain, even after its contact was erased.'),
    reason: SuppressionReason,
    note: z.string().nullable(),
    suppressed_at: z.iso
      .datetime()
      .describe('When the address bounced, complained or was suppressed, which can be before it was added here.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Suppression' });
export type Suppression = z.infer<typeof Suppression>;

const domain = z
  .string()
  .trim()
  .max(253)
  .transform((value, context) => {
    const key = domainKey(value);
    if (key === '')
      context.addIssue({ code: 'custom', message: 'expected a domain such as example.com', params: { code: 'invalid_format' } });
    return key;
  });

export const AddSuppressionBody = z
  .strictObject({
    email: z.string().trim().normalize('NFC').pipe(Email).transform(emailKey),
    domain: domain.describe('Suppresses every address of exactly this domain; subdomains are not included.'),
    reason: SuppressionReason.default('manual'),
    note: z.string().trim().max(500),
    suppressed_at: PastMoment.describe(
      'When it was suppressed, for example by another system; defaults to now and cannot be in the future.',
    ),
  })
  .partial({ email: true, domain: true, note: true, suppressed_at: true })
  .refine((body) => (body.email === undefined) !== (body.domain === undefined), {
    path: ['email'],
    message: 'Send either email or domain.',
  })
  .meta(exactlyOneOf(['email', 'domain']));

export type NewSuppression = {
  kind: SuppressionKind;
  value: string;
  reason: SuppressionReason;
  note: string | null;
  /** By default, when it is added. */
  suppressedAt?: Date | undefined;
  /** Stores only the hash, which recognises the address. */
  hashOnly?: boolean;
};

/** What a caller suppresses. */
export const suppressionOf = ({ email, domain, reason, note, suppressed_at }: z.output<typeof AddSuppressionBody>): NewSuppression => ({
  ...(email === undefined ? { kind: 'domain', value: domain ?? '' } : { kind: 'email', value: email }),
  ...{ reason, note: note ?? null, suppressedAt: suppressed_at === undefined ? undefined : new Date(suppressed_at) },
});

/** The hashes by which an address can be suppressed: its own and that of its domain. */
export const hashesOf = (accountId: AccountId, email: string): [own: string, domain: string] => {
  const key = emailKey(email);
  return [suppressionHash(accountId, 'email', key), suppressionHash(accountId, 'domain', key.slice(key.lastIndexOf('@') + 1))];
};
