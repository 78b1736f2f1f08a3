const whole = new Intl.NumberFormat('en');
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const percentInColumn = new Intl.NumberFormat('en', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const count = (value: number) => whole.format(value);

/** A share between 0 and 1 as a percentage; "–" if there is none (division by zero). */
export const share = (value: number | null | undefined) => (value === null || value === undefined ? '–' : percent.format(value));

/** A share in a column: always with one decimal, so that its digits stand below each other. */
export const shareInColumn = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : percentInColumn.format(value);

export const money = (amount: number, currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }).format(amount);

/** A duration in seconds as "2m 5s", without zero parts. */
export function duration(seconds: number): string {
  const all = Math.round(seconds);
  const parts = [`${Math.floor(all / 3_600)}h`, `${Math.floor((all % 3_600) / 60)}m`, `${all % 60}s`];
  return parts.filter((part) => !/^0./.test(part)).join(' ') || '0s';
}

/** A duration in seconds in its largest unit, as "2.5 days". */
export function roughDuration(seconds: number): string {
  const [unit, size] = durations.find(([, one]) => seconds >= one) ?? ['second', 1];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 }).format(seconds / size);
}
const durations = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A file size in bytes as "1.2 MB". */
export function bytes(size: number): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  return `${oneDigit.format(size / 1_000 ** step)} ${sizes[step]}`;
}
const sizes = ['B', 'kB', 'MB', 'GB'];
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** A count with its noun: "1 contact", "2 contacts". */
export const counted = (value: number, one: string, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;
