import { addDays, dayOf, startOfDay } from '../time/zone.ts';

export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];
export const usualPeriod = 30 satisfies Period;

export type OverviewSearch = { days?: Period };

/** Parses the URL parameters of the overview. */
export function overviewSearch(raw: Record<string, unknown>): OverviewSearch {
  const days = periods.find((one) => one === Number(raw.days));
  return days === undefined ? {} : { days };
}

/** The last days, today included, and as many before them; both start at midnight, so that they are the same all day. */
export function rangesOf(days: Period, now = new Date()) {
  const midnight = (ago: number) => startOfDay(addDays(dayOf(now), -ago));
  const from = midnight(days - 1);
  return { current: { from, to: midnight(-1) }, previous: { from: midnight(2 * days - 1), to: from } };
}

/** The days of a range, as `YYYY-MM-DD` in the account's zone. */
export function daysOf({ from, to }: { from: string; to: string }): string[] {
  const days: string[] = [];
  for (let day = dayOf(from); Date.parse(startOfDay(day)) < Date.parse(to); day = addDays(day, 1)) days.push(day);
  return days;
}
