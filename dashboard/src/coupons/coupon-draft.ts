import { timeAt } from '../time/zone.ts';
import type { NewCoupon } from './coupons.ts';

export const sources = { generate: 'Generate codes', upload: 'Upload codes', shared: 'One code for everybody' } as const;

export type CouponDraft = {
  name: string;
  source: keyof typeof sources;
  /** One code a line, or separated by commas. */
  codes: string;
  count: number;
  prefix: string;
  expires: string;
};

export const newCoupon: CouponDraft = { name: '', source: 'generate', codes: '', count: 1_000, prefix: '', expires: '' };

/** The codes of a text or a CSV file with one column, each once. */
export const codesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((code) => code.replace(/^"(.*)"$/, '$1'))
      .filter((code) => code !== ''),
  ),
];

/** The name that emails read, made of what was typed. */
export const couponName = (typed: string) =>
  typed
    .trim()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 64);

export function couponOf({ name, source, codes, count, prefix, expires }: CouponDraft): NewCoupon {
  return {
    name: couponName(name),
    ...(source === 'generate' && { generate: { count, prefix, length: 8 } }),
    ...(source === 'upload' && { codes: codesIn(codes) }),
    ...(source === 'shared' && { codes: [codes.trim()], single_use: false }),
    // The whole day counts.
    ...(expires !== '' && { expires_at: timeAt(`${expires}T23:59:59`) }),
  };
}
