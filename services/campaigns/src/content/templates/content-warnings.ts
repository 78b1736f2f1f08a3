import type { AccountId } from '@mp/ids';
import type { FindUnknownAttributes } from '@mp/service-kit/unknown-attributes';
import type { MessageTemplates } from '@mp/templates/message';
import { z } from 'zod';

export const ContentWarning = z
  .object({
    code: z
      .enum(['unknown_attribute'])
      .describe('`unknown_attribute`: the email reads an attribute that no contact has ever had, and will be blank there.'),
    message: z.string().describe('What is wrong, and what to do about it.'),
  })
  .meta({ id: 'ContentWarning' });
export type ContentWarning = z.output<typeof ContentWarning>;

export const contentWarnings = z.array(ContentWarning).describe('Parts of the content that are valid, but may be typos.');

export type FindContentWarnings = ReturnType<typeof createFindContentWarnings>;

/** The warnings about the content of emails. */
export const createFindContentWarnings =
  (findUnknown: FindUnknownAttributes<MessageTemplates>) =>
  async (accountId: AccountId, contents: readonly MessageTemplates[]): Promise<ContentWarning[]> =>
    (await findUnknown(accountId, contents)).map((key) => ({
      code: 'unknown_attribute',
      message: `No contact of the account has ever had the attribute ${key}, which the email reads as contact.attributes.${key}.`,
    }));
