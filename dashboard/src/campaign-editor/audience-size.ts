import type { Rule } from '../segments/segments.ts';
import type { CampaignDraft } from './campaign-draft.ts';

const anyOf = (ids: readonly string[]): Rule => ({ any: ids.map((segment) => ({ segment })) });

/** The audience as a rule that counts it; undefined for none, and for all contacts, which need no rule. */
export function audienceRule({ include, exclude }: CampaignDraft['audience']): Rule | undefined {
  const isAll = include.includes('all');
  if (include.length === 0 || (isAll && exclude.length === 0)) return undefined;
  const without: Rule[] = exclude.length > 0 ? [{ not: anyOf(exclude) }] : [];
  return { all: [...(isAll ? [] : [anyOf(include)]), ...without] };
}
