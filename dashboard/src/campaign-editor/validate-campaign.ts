import { abTestErrors, isWholeNumber } from './ab-test-draft.ts';
import type { CampaignDraft } from './campaign-draft.ts';
import type { CampaignStep } from './campaign-steps.ts';

export type Missing = { step: CampaignStep; field: string; what: string };

/** What a campaign needs before it can be sent, with the field where it is entered. */
export function missingOf({ name, from, audience, subject, html, text, mjml, design, template_id }: CampaignDraft): Missing[] {
  const hasContent = template_id !== null || design !== null || [html, text, mjml ?? ''].some((part) => part.trim() !== '');
  const needs: (Missing & { isThere: boolean })[] = [
    { step: 'audience', field: 'name', what: 'Give the campaign a name.', isThere: name.trim() !== '' },
    { step: 'audience', field: 'from.email', what: 'Enter a sender address.', isThere: from.email.trim() !== '' },
    { step: 'audience', field: 'audience.include', what: 'Choose a segment, or all contacts.', isThere: audience.include.length > 0 },
    { step: 'content', field: 'subject', what: 'Write a subject.', isThere: subject.trim() !== '' },
    { step: 'content', field: 'html', what: 'Write the email, or choose a template.', isThere: hasContent },
  ];
  return needs.filter(({ isThere }) => !isThere).map(({ isThere: _isThere, ...missing }) => missing);
}

const maxHoldout = 90;
const maxWindowDays = 90;

/** The errors of the settings by the path of their field. */
export function settingsErrors({
  throttle_per_minute,
  holdout_percent,
  conversion,
  ab_test,
  utm,
  timezone_mode,
}: CampaignDraft): Record<string, string> {
  const errors = ab_test === null ? {} : abTestErrors(ab_test);
  if (!/^\s*\d*\s*$/.test(throttle_per_minute)) errors.throttle_per_minute = 'Enter a whole number, or leave it empty for no limit.';
  if (holdout_percent.trim() !== '' && !isWholeNumber(holdout_percent, maxHoldout))
    errors.holdout_percent = `Enter a whole number from 1 to ${maxHoldout}, or leave it empty for none.`;
  if (!isWholeNumber(conversion.window_days, maxWindowDays))
    errors['conversion.window_days'] = `Enter a whole number of days from 1 to ${maxWindowDays}.`;
  if (timezone_mode === 'recipient' && ab_test && ab_test.sample_percent.trim() !== '100')
    errors.timezone_mode =
      'The rest of an A/B test would get the winner a day late. Test on 100% of the audience, or send to all at the same moment.';
  if (utm && utm.source.trim() === '') errors['utm.source'] = 'Enter a source, such as newsletter.';
  return errors;
}
