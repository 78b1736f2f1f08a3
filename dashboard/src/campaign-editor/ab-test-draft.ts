import type { Campaign, NewCampaign } from '../campaigns/campaigns.ts';

type AbTest = NonNullable<Campaign['ab_test']>;
type AbTestBody = NonNullable<NewCampaign['ab_test']>;

/** A version of the email, as typed. Empty and null fields use the campaign's values. Times are in hours. */
export type VariantDraft = {
  id: string;
  weight: string;
  subject: string;
  preview_text: string;
  sender: { email: string; name: string };
  html: string | null;
  text: string | null;
  delay: string;
};

/** An A/B test, as typed. Times are in hours. */
export type AbTestDraft = {
  variants: VariantDraft[];
  sample_percent: string;
  metric: AbTest['metric'];
  currency: string;
  selection: AbTest['selection'];
  duration: string;
};

export const maxVariants = 5;
const ids = ['a', 'b', 'c', 'd', 'e'];

const newVariant = (taken: readonly VariantDraft[]): VariantDraft => ({
  id: ids.find((id) => taken.every((variant) => variant.id !== id)) ?? '',
  ...{ weight: '', subject: '', preview_text: '', sender: { email: '', name: '' }, html: null, text: null, delay: '' },
});

/** Shares as equal as whole percents can be. */
const withEqualWeights = (variants: readonly VariantDraft[]): VariantDraft[] =>
  variants.map((variant, index) => {
    const rest = 100 % variants.length;
    return { ...variant, weight: String(Math.floor(100 / variants.length) + (index < rest ? 1 : 0)) };
  });

export function newAbTest(): AbTestDraft {
  const first = newVariant([]);
  return {
    variants: withEqualWeights([first, newVariant([first])]),
    ...{ sample_percent: '20', metric: 'opens', currency: '', selection: 'automatic', duration: '4' },
  };
}

export const withVariant = ({ variants, ...test }: AbTestDraft): AbTestDraft => ({
  ...test,
  variants: withEqualWeights([...variants, newVariant(variants)]),
});

export const withoutVariant = ({ variants, ...test }: AbTestDraft, id: string): AbTestDraft => ({
  ...test,
  variants: withEqualWeights(variants.filter((variant) => variant.id !== id)),
});

const hoursOf = (minutes: number) => String(Math.round((minutes / 60) * 100) / 100);
const minutesOf = (hours: string) => Math.round(Number(hours) * 60);
const orNull = (text: string) => (text.trim() === '' ? null : text);

/** `fromEmail`: the campaign's. Variants with another name keep it only as long as it is the campaign's. */
export const abTestDraftOf = (
  { variants, sample_percent, metric, currency, selection, duration_minutes }: AbTest,
  fromEmail: string,
): AbTestDraft => ({
  variants: variants.map(({ weight, subject, preview_text, from, delay_minutes, ...variant }) => ({
    ...variant,
    weight: String(weight),
    subject: subject ?? '',
    preview_text: preview_text ?? '',
    sender: { email: from && !(from.name && from.email === fromEmail) ? from.email : '', name: from?.name ?? '' },
    delay: delay_minutes === 0 ? '' : hoursOf(delay_minutes),
  })),
  sample_percent: String(sample_percent),
  ...{ metric, currency: currency ?? '', selection, duration: hoursOf(duration_minutes) },
});

/** `fromEmail`: the campaign's, for variants that only have another name. */
export const abTestOf = (draft: AbTestDraft, fromEmail: string): AbTestBody => ({
  variants: draft.variants.map(({ weight, subject, preview_text, sender, delay, ...variant }) => ({
    ...variant,
    weight: Number(weight),
    subject: orNull(subject),
    preview_text: orNull(preview_text),
    from:
      sender.email.trim() === '' && sender.name.trim() === ''
        ? null
        : { email: sender.email.trim() || fromEmail, name: orNull(sender.name) },
    delay_minutes: minutesOf(delay),
  })),
  sample_percent: Number(draft.sample_percent),
  metric: draft.metric,
  currency: draft.metric === 'revenue' ? draft.currency.trim() : null,
  selection: draft.selection,
  // A test whose winner is selected by a person keeps its duration, in case that changes.
  duration_minutes: minutesOf(draft.duration),
});

/** A whole number from 1 to `max`. */
export const isWholeNumber = (text: string, max = 100) => /^\s*\d{1,3}\s*$/.test(text) && Number(text) >= 1 && Number(text) <= max;

const maxHours = 30 * 24;
const isHours = (text: string, { least = 0 } = {}) => {
  const hours = Number(text);
  return !Number.isNaN(hours) && hours <= maxHours && minutesOf(text) >= least;
};

/** The errors of a test by the path of their field in the form of the campaign. */
export function abTestErrors({ variants, sample_percent, metric, currency, duration }: AbTestDraft): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const [index, { weight, delay }] of variants.entries()) {
    const field = `ab_test.variants.${index}`;
    if (!isWholeNumber(weight)) errors[`${field}.weight`] = 'Enter a whole number from 1 to 100.';
    if (!isHours(delay)) errors[`${field}.delay`] = `Enter hours, up to ${maxHours}.`;
  }
  const sum = variants.reduce((total, { weight }) => total + Number(weight), 0);
  if (variants.every(({ weight }) => isWholeNumber(weight)) && sum !== 100)
    errors['ab_test.variants'] = `The shares must add up to 100%. They add up to ${sum}%.`;
  if (!isWholeNumber(sample_percent)) errors['ab_test.sample_percent'] = 'Enter a whole number from 1 to 100.';
  if (metric === 'revenue' && !/^\s*[A-Za-z]{3}\s*$/.test(currency)) errors['ab_test.currency'] = 'Enter a currency code, such as EUR.';
  if (!isHours(duration, { least: 1 })) errors['ab_test.duration'] = `Enter hours, up to ${maxHours}.`;
  return errors;
}
