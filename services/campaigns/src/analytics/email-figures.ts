import type { EmailFigures } from '@mp/contracts/email-figures';
import type { Counts } from './counts-and-rates.ts';

/** The counts of a report in the numbers that other services show. */
export const figuresOf = ({
  opened,
  clicked,
  accepted,
  unsubscribed,
  bounced,
  converted,
  conversions,
  revenue,
}: Omit<Counts, 'recipients' | 'waiting' | 'late' | 'lateness_seconds'>): EmailFigures => ({
  accepted,
  opened: opened.unique.human,
  clicked: clicked.unique.human,
  unsubscribed,
  bounced,
  converted,
  conversions,
  revenue,
});
