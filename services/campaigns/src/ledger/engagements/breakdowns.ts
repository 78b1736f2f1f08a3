/** What the report of a campaign is broken down by. */
export const breakdownNames = ['variant', 'domain', 'device', 'link', 'hour'] as const;
export type BreakdownName = (typeof breakdownNames)[number];

/** How often one email was engaged with, by part; a part is `<breakdown>_<key>_<kind>_<who>`, such as `link_3_clicked_human`. */
export type BreakdownCounts = Readonly<Record<string, number>>;

/** An open, a click or an unsubscription; `link` is the number of the link. */
type Engaged = { kind: 'opened' | 'clicked' | 'unsubscribed'; link: number | null; device?: string | undefined; at: Date };

/** The key of a link: its number, after its variant if the campaign has variants, whose links may differ. */
export const linkKey = (link: number, variant?: string) => (variant === undefined ? String(link) : `${variant}-${link}`);

/** The variant and the number in a link's key. */
export function linkOfKey(key: string): { variant: string | null; link: number } {
  const [number = '', variant = null] = key.split('-').reverse();
  return { variant, link: Number(number) };
}

/** The change of an email's parts by an open or a click. */
export function breakdownCountsOf(
  { kind, link, device, at }: Engaged,
  who: 'human' | 'machine',
  by: 1 | -1 = 1,
  variant?: string,
): Record<string, number> {
  if (kind === 'unsubscribed') return {};
  const hour = at.toISOString().slice(0, 13);
  return {
    [`hour_${hour}_${kind}_${who}`]: by,
    ...(device !== undefined && { [`device_${device}_${kind}_${who}`]: by }),
    ...(kind === 'clicked' && link !== null && { [`link_${linkKey(link, variant)}_${kind}_${who}`]: by }),
  };
}
