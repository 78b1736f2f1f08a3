import type { AccountId } from '@mp/ids';
import type { MessageTemplates } from '@mp/templates/message';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';

export type RequireValidTemplates = ReturnType<typeof createRequireValidTemplates>;

/**
 * Throws VALIDATION_ERROR with the part, line and column of every error in an email's templates. `data`: whether they may
 * read `data`. `prefix`: the path of the email in the body.
 */
export const createRequireValidTemplates =
  ({ check }: Pick<Templates, 'check'>) =>
  async (accountId: AccountId, { subject, preview_text, html, text }: MessageTemplates, { data = false, prefix = '' } = {}) => {
    const error = problemError(await check({ accountId, templates: { subject, preview_text, html, text }, data }), prefix);
    if (error) throw error;
  };
