import type { RecipientDocument } from './recipient-row.ts';

/** An email that could be tried again and was not for this long waited for something else, such as a paused campaign. */
const maxGapMs = 86_400_000;

/** Since when an email has waited for its domain. */
export function domainWaitFrom({ domain_wait }: Pick<RecipientDocument, 'domain_wait'>, now = new Date()): Date {
  return domain_wait && now.getTime() - domain_wait.until.getTime() <= maxGapMs ? domain_wait.from : now;
}
