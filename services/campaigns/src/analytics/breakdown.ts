import { z } from 'zod';
import type { Breakdown } from '../engagements/counters-store.ts';
import { breakdownNames } from '../engagements/parts.ts';
import type { TrackedLink } from '../templates/tracked-links.ts';
import { engaged } from './analytics.ts';

export const By = z.enum(breakdownNames).optional().describe('Also return opens and clicks by `link` or by `hour`.');

export const BreakdownItem = z
  .object({
    link: z.number().int().nullable().describe('The number of the link in the email, from 0; null in a breakdown by hour.'),
    url: z.string().nullable().describe('The target of the link; null by hour, and for a link that is different for each recipient.'),
    hour: z.iso.datetime().nullable().describe('The start of the hour in UTC; null in a breakdown by link.'),
    opened: engaged.describe('Opens; 0 in a breakdown by link.'),
    clicked: engaged.describe('Clicks.'),
  })
  .meta({ id: 'CampaignBreakdownItem' });

export const BreakdownItems = z
  .array(BreakdownItem)
  .optional()
  .describe('With `by`: every link with clicks, or the latest 1,000 hours with opens or clicks.');

/** The items of a breakdown, with the targets of links. */
export const itemsOf = (by: z.output<typeof By>, rows: readonly Breakdown[], links: readonly TrackedLink[]) =>
  rows.map(({ key, counts }): z.output<typeof BreakdownItem> => {
    const of = (kind: 'opened' | 'clicked') => ({
      unique: { human: counts[`${kind}_human_unique`] ?? 0, machine: counts[`${kind}_machine_unique`] ?? 0 },
      total: { human: counts[`${kind}_human`] ?? 0, machine: counts[`${kind}_machine`] ?? 0 },
    });
    const isLink = by === 'link';
    return {
      link: isLink ? Number(key) : null,
      url: isLink ? (links[Number(key)]?.target ?? null) : null,
      hour: isLink ? null : `${key}:00:00.000Z`,
      ...{ opened: of('opened'), clicked: of('clicked') },
    };
  });
