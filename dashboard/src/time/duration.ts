export const durationUnits = { minutes: 'minutes', hours: 'hours', days: 'days', weeks: 'weeks' } as const;
export type DurationUnit = keyof typeof durationUnits;

const letters: Record<DurationUnit, string> = { minutes: 'M', hours: 'H', days: 'D', weeks: 'W' };
const isTime = (unit: DurationUnit) => unit === 'minutes' || unit === 'hours';

/** The amount and unit of an ISO 8601 duration; undefined if it has several units. */
export function durationParts(text: string): { amount: number; unit: DurationUnit } | undefined {
  const [, time, amount, letter] = /^P(T?)(\d+)([MHDW])$/.exec(text) ?? [];
  const unit = (['minutes', 'hours', 'days', 'weeks'] as const).find((one) => letters[one] === letter && isTime(one) === (time === 'T'));
  return unit && amount !== undefined ? { amount: Number(amount), unit } : undefined;
}

export const durationOf = (amount: number, unit: DurationUnit) => `P${isTime(unit) ? 'T' : ''}${amount}${letters[unit]}`;

const dateNames: Readonly<Record<string, string>> = { Y: 'year', M: 'month', W: 'week', D: 'day' };
const timeNames: Readonly<Record<string, string>> = { H: 'hour', M: 'minute', S: 'second' };

/** An ISO 8601 duration in words: "30 days" for P30D, "1 day 6 hours" for P1DT6H. Other text is returned unchanged. */
export function durationLabel(text: string): string {
  const [, days, time = ''] = /^P(?=.)((?:\d+[YMWD])*)(?:T((?:\d+[HMS])+))?$/.exec(text) ?? [];
  if (days === undefined) return text;
  const parts = (units: string, names: Readonly<Record<string, string>>) =>
    [...units.matchAll(/(\d+)([A-Z])/g)].map(([, amount, unit = '']) => `${amount} ${names[unit]}${amount === '1' ? '' : 's'}`);
  return [...parts(days, dateNames), ...parts(time, timeNames)].join(' ');
}

/** A duration after "the last" or "the next": "30 days", or "day" for one. */
export const spanLabel = (text: string) => durationLabel(text).replace(/^1 /, '');
