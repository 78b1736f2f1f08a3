import type { BreakdownCounts } from '../engagements/breakdowns.ts';
import { contribution, type StoredTally, tallyOf } from '../recipients/engagement-tally.ts';
import { pendingStates, type RecipientState } from '../recipients/recipient.ts';
import type { Conversions } from '../revenue.ts';

/** The parts of a ledger row that are counted. `domain` is the domain of the address it was sent to. */
export type Countable = {
  state?: RecipientState;
  variant?: string;
  domain?: string;
  /** The step of a workflow that sent it, and the template of an email that no campaign sent. */
  step?: string;
  template?: string;
  /** The step and the variant of its email, as one key. */
  step_variant?: string;
  tally?: StoredTally;
  parts?: BreakdownCounts;
  conversions?: Conversions;
  /** In a campaign with a hold-out group: the group, and the conversions by which the groups are compared. */
  group?: 'emailed' | 'held_out';
  outcomes?: Conversions;
  /** Of an accepted email with a scheduled time, how many seconds later it was accepted. */
  lateness?: number;
};

/** An email is late if it was accepted more than this after its scheduled time. */
export const lateSeconds = 300;

/** A counter's name and value, such as `opened_human`, `bounced` or `revenue_EUR`. A counter that is missing is 0. */
export type Counts = Readonly<Record<string, number>>;

/** Counts by what they are counted for: `all` for the whole campaign, or `<breakdown> <key>`, such as `link 3`. */
export type CountsByPart = ReadonlyMap<string, Counts>;

const isPending = (state: RecipientState) => pendingStates.some((one) => one === state);

export const wholeCampaign = 'all';

const convertedBy = ({ count = 0, revenue = {} }: Partial<Conversions> = {}): Counts => ({
  ...{ conversions: count, converted: Math.sign(count) },
  ...Object.fromEntries(Object.entries(revenue).map(([currency, amount]) => [`revenue_${currency}`, amount])),
});

/** What one row adds to the counters of its campaign. */
export function contributionOf({
  state,
  variant,
  domain,
  tally,
  parts = {},
  conversions,
  lateness,
  group,
  outcomes,
  step,
  step_variant,
  template,
}: Countable): CountsByPart {
  const own = {
    ...contribution(tallyOf(tally)),
    ...(state && !isPending(state) && { [state]: 1 }),
    ...(lateness !== undefined && { scheduled: 1, late: lateness > lateSeconds ? 1 : 0, lateness }),
    ...convertedBy(conversions),
  };
  const counts = new Map<string, Counts>([[wholeCampaign, own]]);
  if (variant) counts.set(`variant ${variant}`, { ...own, recipients: 1 });
  if (group) counts.set(`group ${group}`, { recipients: 1, ...convertedBy(outcomes) });
  for (const [name, value] of Object.entries({ domain, step, step_variant, template }))
    if (value) counts.set(`${name} ${value}`, { ...own, recipients: 1 });
  for (const [part, times] of Object.entries(parts)) {
    const [by = '', key = '', kind, who] = part.split('_');
    const name = `${by} ${key}`;
    counts.set(name, { ...counts.get(name), [`${kind}_${who}`]: times, [`${kind}_${who}_unique`]: Math.sign(times) });
  }
  return counts;
}

/** The sum of these counts; `sign` -1 subtracts the second. Counters that become 0 are omitted. */
export function addCounts(a: Counts, b: Counts, sign: 1 | -1 = 1): Counts {
  const sum: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + sign * count;
  return Object.fromEntries(Object.entries(sum).filter(([, count]) => count !== 0));
}

/** The change of a campaign's counters when its rows change. */
export function changeOf(rows: readonly { before: Countable | undefined; after: Countable | undefined }[]): CountsByPart {
  const change = new Map<string, Counts>();
  const add = (row: Countable | undefined, sign: 1 | -1) => {
    for (const [part, counts] of row ? contributionOf(row) : []) change.set(part, addCounts(change.get(part) ?? {}, counts, sign));
  };
  for (const { before, after } of rows) {
    add(before, -1);
    add(after, 1);
  }
  return new Map([...change].filter(([, counts]) => Object.keys(counts).length > 0));
}
