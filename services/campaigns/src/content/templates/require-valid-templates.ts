import type { AccountId } from '@mp/ids';
import { mayReadCoupons } from '@mp/templates/coupons';
import type { MessageTemplates } from '@mp/templates/message';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';

/** The names of the account's coupons; undefined if none of these templates can read one. */
export type FindCoupons = (accountId: AccountId, sources: readonly (string | null)[]) => Promise<string[] | undefined>;

export const createFindCoupons =
  (coupons: { names: (accountId: AccountId) => Promise<string[]> }): FindCoupons =>
  async (accountId, sources) =>
    mayReadCoupons(sources) ? coupons.names(accountId) : undefined;

export type RequireValidTemplates = ReturnType<typeof createRequireValidTemplates>;

/**
 * Throws VALIDATION_ERROR with the part, line and column of every error in an email's templates. `data`: whether they may
 * read `data`. `prefix`: the path of the email in the body.
 */
export const createRequireValidTemplates =
  ({ check }: Pick<Templates, 'check'>, findCoupons: FindCoupons) =>
  async (accountId: AccountId, { subject, preview_text, html, text }: MessageTemplates, { data = false, prefix = '' } = {}) => {
    const coupons = await findCoupons(accountId, [subject, preview_text, html, text]);
    const error = problemError(await check({ accountId, templates: { subject, preview_text, html, text }, data, coupons }), prefix);
    if (error) throw error;
  };
