import { z } from 'zod';

const count = z.number().int();

/** What came of some emails, in the numbers that a report of a workflow and a mailed report show. */
export const EmailFigures = z
  .object({
    accepted: count.describe('Emails that the mail server accepted.'),
    opened: count.describe('Emails that their recipients opened; automated opens do not count.'),
    clicked: count.describe('Emails in which their recipients clicked; automated clicks do not count.'),
    unsubscribed: count.describe('Recipients that unsubscribed through the email.'),
    bounced: count.describe('Emails that were permanently rejected because of the address.'),
    converted: count.describe('Emails with a conversion after their last click.'),
    conversions: count.describe('Conversions after a click in the email, such as orders.'),
    revenue: z
      .array(z.object({ currency: z.string().describe('The currency.'), amount: z.number().describe('The sum of the values.') }))
      .describe('The values of the conversions, by currency.'),
  })
  .meta({ id: 'EmailFigures' });
export type EmailFigures = z.output<typeof EmailFigures>;
