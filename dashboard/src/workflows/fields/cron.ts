import { dayNames } from '../day-names.ts';

export type Weekday = keyof typeof dayNames;
/** A time of day, on some weekdays or on all (none named). */
export type WeeklyTime = { time: string; days: Weekday[] };

const isWeekday = (name: string): name is Weekday => Object.hasOwn(dayNames, name);

/** What a cron pattern means, if it is a time on weekdays; undefined for any other. */
export function cronParts(cron: string): WeeklyTime | undefined {
  const [, minute = '', hour = '', days = ''] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[a-z,]+)$/.exec(cron) ?? [];
  const names = days === '*' ? [] : days.split(',').filter(isWeekday);
  const parts = { time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`, days: names };
  return cronOf(parts) === cron ? parts : undefined;
}

export function cronOf({ time, days }: WeeklyTime): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return `${minute} ${hour} * * ${days.length > 0 ? days.join(',') : '*'}`;
}
