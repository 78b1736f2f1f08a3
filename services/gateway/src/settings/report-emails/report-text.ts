import type { EmailFigures } from '@mp/contracts/email-figures';
import type { CampaignReport } from '@mp/contracts/requests/campaigns';
import type { WorkflowReport } from '@mp/contracts/requests/workflows';
import type { z } from 'zod';

type OfCampaign = NonNullable<z.output<typeof CampaignReport.reply>['report']>;
type OfWorkflow = NonNullable<z.output<typeof WorkflowReport.reply>['report']>;

const number = new Intl.NumberFormat('en');
const share = (part: number, whole: number) => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)}%`);

const moneyOf = (revenue: EmailFigures['revenue']) =>
  revenue.length === 0
    ? '–'
    : revenue.map(({ amount, currency }) => new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount)).join(' + ');

/** Numbers under each other. */
function table(rows: readonly (readonly [string, string, string?])[]): string {
  const [names, values] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(([name, value, more = '']) => `${name.padEnd(names ?? 0)}   ${value.padStart(values ?? 0)}   ${more}`.trimEnd())
    .join('\n');
}

const ofEmails = ({ accepted, opened, clicked, unsubscribed, bounced, conversions, revenue }: EmailFigures) =>
  [
    ['Emails', number.format(accepted)],
    ['Opened', number.format(opened), share(opened, accepted)],
    ['Clicked', number.format(clicked), share(clicked, accepted)],
    ['Unsubscribed', number.format(unsubscribed), share(unsubscribed, accepted)],
    ['Bounced', number.format(bounced)],
    ['Orders', number.format(conversions)],
    ['Revenue', moneyOf(revenue)],
  ] as const;

/** A line for each step, as wide as a mailbox shows. */
const stepLine = ({ name, emails }: OfWorkflow['steps'][number]) =>
  `${name.replaceAll(/\s+/g, ' ').slice(0, 80)}\n  ${number.format(emails.accepted)} emails, ${number.format(emails.opened)} opened, ${number.format(emails.clicked)} clicked, ${number.format(emails.conversions)} orders, ${moneyOf(emails.revenue)}`;

export const campaignNumbers = ({ recipients, emails }: OfCampaign) =>
  table([['Recipients', number.format(recipients)], ...ofEmails(emails)]);

export const workflowNumbers = ({ entered, completed, converted, emails, steps }: OfWorkflow) =>
  [
    table([
      ['Entered', number.format(entered)],
      ['Completed', number.format(completed)],
      ['Reached a goal', number.format(converted)],
      ...ofEmails(emails),
    ]),
    ...(steps.length > 1 ? [`By step\n\n${steps.map(stepLine).join('\n')}`] : []),
  ].join('\n\n');
