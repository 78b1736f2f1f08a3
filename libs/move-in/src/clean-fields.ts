import { z } from 'zod';
import type { Attribute, Fields, Note } from './records.ts';

const maxAttributes = 150;
const maxAttributeBytes = 48 * 1024;
const maxTags = 100;
const maxKey = 64;

const clean = (value: string) => value.toWellFormed().normalize('NFC').trim();
const oneLine = (value: string) =>
  clean(value)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();

/** Texts longer than our API takes are cut, and noted. */
export function line(value: unknown, max: number, about: string, notes: Note[]): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = oneLine(String(value).slice(0, max * 2));
  if (String(value).length > max) notes.push({ about, why: `is longer than ${max} characters and is cut` });
  return text.slice(0, max).toWellFormed().trim() || undefined;
}

/** Addresses that no server could have; the platform checks the rest. */
export const isAddress = (email: string) => email.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(email);

/** What two spellings of an address have in common. */
export const addressKey = (email: string) => clean(email).toLowerCase();

/** A time that has passed, in UTC; others are noted. */
export function pastTime(value: unknown, about: string, notes: Note[]): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const ms = Date.parse(value);
  if (Number.isNaN(ms) || ms < Date.parse('1990-01-01T00:00:00Z')) {
    notes.push({ about, why: 'is not a date' });
    return undefined;
  }
  if (ms > Date.now()) {
    notes.push({ about, why: 'is in the future and is left out' });
    return undefined;
  }
  return new Date(ms).toISOString();
}

const address = z.union([z.ipv4(), z.ipv6()]);
export const ipOf = (value: unknown) => (typeof value === 'string' && address.safeParse(value).success ? value : undefined);

/** With its country code; the platform rejects numbers that nobody can have, and their rows come without them. */
export const phoneOf = (value: unknown): string | undefined => {
  const digits = typeof value === 'string' ? value.replaceAll(/[\s().-]/g, '') : '';
  return /^\+[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
};

const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
const attempt = <Result>(work: () => Result): Result | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

/** An ISO code, even of a country that is written as its English name. */
export const countryOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const code = /^[A-Za-z]{2}$/.test(value.trim())
    ? attempt(() => new Intl.Locale(`und-${value.trim()}`).region)
    : codeByName.get(value.trim().toLowerCase());
  return code !== undefined && code !== 'ZZ' && attempt(() => regions.of(code)) !== undefined ? code : undefined;
};

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const codeByName = new Map(
  letters.flatMap((a) =>
    letters.flatMap((b) => {
      const name = attempt(() => regions.of(a + b));
      return name === undefined || attempt(() => new Intl.Locale(`und-${a}${b}`).region) !== a + b
        ? []
        : [[name.toLowerCase(), a + b] as const];
    }),
  ),
);

export const localeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length > 1 && value.length <= 35
    ? attempt(() => Intl.getCanonicalLocales(value.replaceAll('_', '-'))[0])
    : undefined;

export const timezoneOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Z][A-Za-z_]+\/[\w/+-]+$/.test(value)
    ? attempt(() => new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone)
    : undefined;

export const tagsOf = (values: readonly unknown[], notes: Note[]): string[] => {
  const tags = [...new Set(values.flatMap((value) => line(value, 64, 'tag', notes) ?? []))];
  if (tags.length > maxTags) notes.push({ about: 'tags', why: `are more than ${maxTags}; the rest is left out` });
  return tags.slice(0, maxTags);
};

/** `shoe_size` for `Shoe size`; undefined for a name without a letter or digit. */
export const attributeKey = (name: string): string | undefined =>
  clean(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replace(/^[_-]+|_+$/g, '')
    .slice(0, maxKey) || undefined;

function attributeOf(value: unknown, about: string, notes: Note[]): Attribute | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const cut = (text: string) => {
    if (text.length > 1_000) notes.push({ about, why: 'is longer than 1,000 characters and is cut' });
    return clean(text.slice(0, 1_000));
  };
  if (typeof value === 'string') return cut(value) || undefined;
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => ['string', 'number', 'boolean'].includes(typeof item))) {
    if (value.length > 100) notes.push({ about, why: 'has more than 100 items; the rest is left out' });
    return value.slice(0, 100).map((item) => cut(String(item)));
  }
  notes.push({ about, why: 'is nested, which attributes cannot be' });
  return undefined;
}

const bytesIn = (text: string) => new TextEncoder().encode(text).length;

/** Attributes that fit a contact; the rest is noted. */
export function attributesOf(values: Readonly<Record<string, unknown>>, notes: Note[]): Fields['attributes'] {
  const attributes: Record<string, Attribute> = Object.create(null);
  let bytes = 0;
  for (const [name, given] of Object.entries(values)) {
    const about = `attribute ${name.slice(0, 64)}`;
    const value = attributeOf(given, about, notes);
    const key = attributeKey(name);
    if (value === undefined) continue;
    bytes += bytesIn(JSON.stringify([key, value]));
    if (key === undefined) notes.push({ about, why: 'has no letter or digit in its name' });
    else if (key in attributes) notes.push({ about, why: 'has the name of another attribute' });
    else if (Object.keys(attributes).length === maxAttributes || bytes > maxAttributeBytes)
      notes.push({ about: 'attributes', why: 'are too many for a contact; the rest is left out' });
    else attributes[key] = value;
  }
  return Object.keys(attributes).length > 0 ? { ...attributes } : undefined;
}

/** The fields that have a value. */
export const present = <Values extends object>(values: Values): { [Name in keyof Values]?: NonNullable<Values[Name]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '')) as {
    [Name in keyof Values]?: NonNullable<Values[Name]>;
  };
