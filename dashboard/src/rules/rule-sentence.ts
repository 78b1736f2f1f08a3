import type { NameOf } from '../names/names.ts';
import type { Rule } from '../segments/segments.ts';
import { spanLabel } from '../time/duration.ts';
import { type Condition, conditionLabel, opLabels, timesLabel } from './rule-labels.ts';

const activityLabels: Readonly<Record<string, string>> = {
  sent: 'were sent',
  delivered: 'received',
  opened: 'opened',
  clicked: 'clicked a link in',
  converted: 'bought or converted after',
  bounced: 'bounced from',
  refused: 'had a mail server refuse',
  complained: 'complained about',
  unsubscribed: 'unsubscribed from',
};

const momentLabels: Readonly<Record<string, string>> = { created_at: 'created', updated_at: 'updated', last_seen_at: 'seen' };

const lowered = (text: string) => (/^[A-Z][a-z]/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text);

/** A rule as one sentence in plain English. */
export const ruleSentence = (rule: Rule, named: NameOf) => `People ${phrase(rule, named, true)}.`;

/** The most characters that the API accepts as the name of a segment. */
const maxNameLength = 200;

/** A name for the segment of a rule: the sentence, as much of it as fits. */
export function ruleName(rule: Rule, named: NameOf): string {
  const name = ruleSentence(rule, named).replace(/\.$/, '');
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 1).replace(/\s+\S*$/, '')}…`;
}

function phrase(rule: Rule, named: NameOf, isComplete = false): string {
  if ('all' in rule) return joined(rule.all, 'and', named, isComplete);
  if ('any' in rule) return joined(rule.any, 'or', named, isComplete);
  if ('not' in rule) return `except those ${phrase(rule.not, named)}`;
  return conditionPhrase(rule, named);
}

/** A group within another one is in brackets, so that it reads in only one way. */
function joined(rules: readonly Rule[], word: 'and' | 'or', named: NameOf, isComplete: boolean): string {
  const text = rules
    .map((rule) => phrase(rule, named))
    .join(` ${word} `)
    // "and except those" is not English.
    .replaceAll(' and except those ', ' except those ');
  return isComplete || rules.length === 1 ? text : `(${text})`;
}

function conditionPhrase(condition: Condition, named: NameOf): string {
  if ('segment' in condition) return `who ${condition.op === 'not_in' ? 'are not' : 'are'} in ${named(condition.segment)}`;
  if ('campaign' in condition) {
    const which = condition.campaign === 'any' ? 'any campaign' : named(condition.campaign);
    const isNever = condition.count?.eq === 0;
    const did = `${activityLabels[condition.activity] ?? condition.activity} ${which}`;
    const within = condition.in_last ? ` in the last ${spanLabel(condition.in_last)}` : '';
    return isNever ? `who never ${did}${within}` : `who ${did} ${timesLabel(condition.count)}${within}`;
  }
  if ('field' in condition) return `whose ${lowered(conditionLabel(condition, named))}`;
  if ('date' in condition) {
    const verb = momentLabels[condition.date];
    const op = opLabels[condition.op]?.replace(/^was /, '');
    if (verb === undefined || !('value' in condition) || op === undefined) return `whose ${lowered(conditionLabel(condition, named))}`;
    const value = condition.op.endsWith('_last') ? spanLabel(condition.value) : condition.value;
    const negated = op.startsWith('not ');
    return `who were ${negated ? 'not ' : ''}${condition.date === 'last_seen_at' ? 'last ' : ''}${verb} ${op.replace(/^not /, '')} ${value}`;
  }
  return `who ${lowered(conditionLabel(condition, named))}`;
}
