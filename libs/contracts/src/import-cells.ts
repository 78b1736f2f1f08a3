import { countries } from './countries.ts';

/** How people write what a file contains. The importer and the dashboard share this, so that a preview shows what is imported. */

/** The order of day, month and year in dates that are not written as `2026-12-31`. */
export const dateOrders = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** A column with this target fills the first and the last name. */
export const fullNameTarget = 'full_name';

const dateCell = /^(\d{1,4})\s*[./-]\s*(\d{1,2})\s*[./-]\s*(\d{1,4})\.?(?:[ T]\d{1,2}:\d{2}(?::\d{2})?.*)?$/;

/** The day that a cell means, as `2026-12-31`; undefined if it is not a date in this order. Two-digit years are at most 10 years ahead. */
export function dayIn(cell: string, order: DateOrder, thisYear = new Date().getUTCFullYear()): string | undefined {
  const [, one, two, three] = dateCell.exec(cell.trim()) ?? [];
  if (one === undefined || two === undefined || three === undefined) return undefined;
  const [year, month, day] = order === 'ymd' ? [one, two, three] : order === 'dmy' ? [three, two, one] : [three, one, two];
  if ((year.length !== 4 && year.length !== 2) || month.length > 2 || day.length > 2) return undefined;
  const full = year.length === 4 ? Number(year) : yearOf(Number(year), thisYear);
  const date = new Date(Date.UTC(full, Number(month) - 1, Number(day)));
  const isDay = date.getUTCFullYear() === full && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isDay && full >= 1000 ? date.toISOString().slice(0, 10) : undefined;
}

function yearOf(short: number, thisYear: number): number {
  const century = thisYear - (thisYear % 100);
  return century + short > thisYear + 10 ? century + short - 100 : century + short;
}

/** Words that belong to the last name after them, such as in Ludwig van Beethoven. */
const particles = new Set(
  'af al am bin d da das de del della den der di do dos du el ibn la le les lo san st. ten ter und v. van vom von y zu zum zur'.split(' '),
);

/** The first and last name in a full name, which can be written as `Last, First`. One word is a first name. */
export function namesIn(cell: string): { first_name?: string; last_name?: string } {
  const text = cell.trim().replaceAll(/\s+/g, ' ');
  const [last = '', first = '', ...rest] = text.split(',').map((part) => part.trim());
  if (first !== '' && rest.length === 0) return { first_name: first, ...(last !== '' && { last_name: last }) };
  const words = text.split(' ').filter(Boolean);
  let start = words.length - 1;
  while (start > 1 && particles.has((words[start - 1] ?? '').toLowerCase())) start -= 1;
  const [given, family] = words.length < 2 ? [words, []] : [words.slice(0, start), words.slice(start)];
  return {
    ...(given.length > 0 && { first_name: given.join(' ') }),
    ...(family.length > 0 && { last_name: family.join(' ') }),
  };
}

const words = {
  true: 'true yes y 1 ja wahr oui vrai sí si verdadero sì vero sim verdadeiro waar tak prawda sant はい 真 是',
  false: 'false no n 0 nein falsch non faux falso não nao nee onwaar nie fałsz nej falskt いいえ 偽 否',
};
const [yes, no] = [new Set(words.true.split(' ')), new Set(words.false.split(' '))];

/** True or false in the words of the ten languages; undefined for anything else. */
export function booleanIn(cell: string): boolean | undefined {
  const word = cell.trim().normalize('NFC').toLowerCase();
  return yes.has(word) ? true : no.has(word) ? false : undefined;
}

/** The items of a list: those of a JSON list, otherwise the parts between semicolons or commas. */
export function listIn(cell: string): unknown[] {
  const list = cell.startsWith('[') ? jsonIn(cell) : undefined;
  if (Array.isArray(list)) return list;
  return cell
    .split(/[;,]/)
    .map((item) => item.trim())
    .filter(Boolean);
}

/** The value of a cell that is JSON; any other cell is text. */
export function jsonIn(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'ja'];
const others = { uk: 'GB', usa: 'US', 'u.s.': 'US', 'u.s.a.': 'US', england: 'GB', scotland: 'GB', wales: 'GB', holland: 'NL' };
let codes: ReadonlyMap<string, string> | undefined;

const keyOf = (text: string) =>
  text
    .trim()
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase();

/** The ISO 3166-1 code of a country by its code or its name in one of the ten languages; undefined for anything else. */
export function countryIn(cell: string): string | undefined {
  codes ??= countryCodes();
  return codes.get(keyOf(cell));
}

function countryCodes(): Map<string, string> {
  const found = new Map<string, string>(Object.entries(others));
  for (const language of languages) {
    const names = new Intl.DisplayNames(language, { type: 'region' });
    for (const code of countries) {
      const key = keyOf(names.of(code) ?? code);
      if (!found.has(key)) found.set(key, code);
    }
  }
  for (const code of countries) found.set(code.toLowerCase(), code);
  return found;
}
