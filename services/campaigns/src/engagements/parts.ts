/** What the opens and clicks of a campaign are broken down by. */
export const breakdownNames = ['link', 'hour'] as const;
export type BreakdownName = (typeof breakdownNames)[number];

/** Opens and clicks of one link or hour, in total and by unique recipient. */
export type PartCount = `${'opened' | 'clicked'}_${'human' | 'machine'}${'' | '_unique'}`;

/** How often one email was engaged with, by part; a part is `<breakdown>_<key>_<kind>_<who>`, such as `link_3_clicked_human`. */
export type Parts = Readonly<Record<string, number>>;

/** An open, a click or an unsubscription; `link` is the number of the link. */
type Engaged = { kind: 'opened' | 'clicked' | 'unsubscribed'; link: number | null; at: Date };

/** The change of an email's parts by an open or a click. */
export function partsOf({ kind, link, at }: Engaged, who: 'human' | 'machine', by: 1 | -1 = 1): Record<string, number> {
  if (kind === 'unsubscribed') return {};
  const hour = at.toISOString().slice(0, 13);
  return { [`hour_${hour}_${kind}_${who}`]: by, ...(kind === 'clicked' && link !== null && { [`link_${link}_${kind}_${who}`]: by }) };
}

export type BreakdownChange = { by: BreakdownName; key: string; counts: Map<string, number> };

/** The change of a campaign's breakdowns when the parts of its emails change. */
export function breakdownChanges(rows: readonly { before: Parts; after: Parts }[]): BreakdownChange[] {
  const changes = new Map<string, BreakdownChange>();
  for (const { before, after } of rows) {
    for (const [part, count] of Object.entries(after)) {
      const had = before[part] ?? 0;
      const [by, key = '', kind, who] = part.split('_');
      if (count === had || (by !== 'link' && by !== 'hour')) continue;
      const change = changes.get(`${by} ${key}`) ?? { by, key, counts: new Map<string, number>() };
      changes.set(`${by} ${key}`, change);
      const add = (name: string, added: number) => change.counts.set(name, (change.counts.get(name) ?? 0) + added);
      add(`${kind}_${who}`, count - had);
      add(`${kind}_${who}_unique`, Math.sign(count) - Math.sign(had));
    }
  }
  return [...changes.values()];
}
