import { z } from 'zod';

/** What tools return, as far as an assistant needs to know it beforehand. The API has more fields and gains some, so objects are open. */
const text = z.string().nullable();
const open = z.looseObject({});

/** A campaign, a segment or a workflow. */
export const named = { id: z.string(), name: z.string(), status: z.string() };
export const namedItems = { items: z.array(z.looseObject(named)) };

const Contact = z.looseObject({
  ...{ id: z.string(), email: text, first_name: text, last_name: text },
  ...{ tags: z.array(z.string()), status: z.string() },
});
export const contacts = { items: z.array(Contact) };
export const contactWithTimeline = { contact: Contact, timeline: z.array(open).describe('Its latest activities, newest first.') };
export const membership = { member: z.boolean(), explanation: open.describe('Each condition with `matches` and the value it `saw`.') };
export const preview = { count: z.int(), exact: z.boolean().describe('Whether all contacts were counted.'), samples: z.array(Contact) };
export const dryRun = {
  audience_count: z.int(),
  would_send: z.int(),
  skipped: z.array(z.looseObject({ reason: z.string(), count: z.int() })),
};
export const campaignResults = { counts: open, rates: open.describe('Each with `value`, `numerator`, `denominator` and `definition`.') };
export const formReport = { counts: open, rates: open, series: z.array(open) };
export const traffic = { totals: open, series: z.array(open) };
export const simulation = { status: z.string(), log: z.array(z.looseObject({ at: z.string(), text: z.string() })) };
