import { z } from 'zod';

/** UTM parameters, without their prefix. A link that already has one of them keeps its own value. */
export const Utm = z.object({
  source: z.string().describe('`utm_source`.'),
  medium: z.string().nullable().describe('`utm_medium`; `email` if null.'),
  campaign: z.string().nullable().describe('`utm_campaign`; the name of the campaign if null.'),
  term: z.string().nullable().describe('`utm_term`; not added if null.'),
  content: z.string().nullable().describe('`utm_content`; not added if null.'),
});
export type Utm = z.infer<typeof Utm>;

export type UtmParameters = readonly (readonly [name: string, value: string])[];

/** The parameters that are added to the links of an email. */
export const utmParameters = ({ source, medium, campaign, term, content }: Utm, campaignName: string): UtmParameters =>
  Object.entries({
    ...{ utm_source: source, utm_medium: medium ?? 'email', utm_campaign: campaign ?? campaignName },
    ...{ utm_term: term, utm_content: content },
  }).flatMap(([name, value]) => (value ? [[name, value] as const] : []));

/** The URL with the parameters it does not have yet. Everything else in it stays as it is. */
export function withParameters(url: string, parameters: UtmParameters): string {
  const own = new URL(url).searchParams;
  const added = new URLSearchParams(
    parameters.filter(([name]) => !own.has(name)).map(([name, value]): [string, string] => [name, value]),
  ).toString();
  if (added === '') return url;
  const [base = '', ...fragment] = url.split('#');
  const [, ...query] = base.split('?');
  const separator = query.length === 0 ? '?' : /(^|&)$/.test(query.join('?')) ? '' : '&';
  return [`${base}${separator}${added}`, ...fragment].join('#');
}
