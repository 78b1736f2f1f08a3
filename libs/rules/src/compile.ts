import { campaignQuestion, eventQuestion } from './activity-leaf.ts';
import { latest } from './calendar.ts';
import { dateQuestion } from './date-leaf.ts';
import { type Dependencies, dependenciesOf } from './dependencies.ts';
import { fieldQuestion } from './field-leaf.ts';
import type { Leaf, Rule } from './rule.ts';
import { segmentQuestion } from './segment-leaf.ts';
import { type Instant, type LeafQuestion, never, type Question, type Subject, type Verdict } from './subject.ts';

export type Answer = {
  matches: boolean;
  /** The first moment at which the answer changes if nothing but time happens; null when it never does. */
  flipsAt: Date | null;
};

export type CompiledRule = {
  matches: (subject: Subject, now: Date) => Answer;
  dependencies: Dependencies;
};

/** A checked rule as a predicate. Compile once, ask often: the values it compares with are read here, not at asking. */
export function compileRule(rule: Rule): CompiledRule {
  const question = questionOf(rule);
  return {
    matches: (subject, now) => answer(question, subject, now),
    dependencies: dependenciesOf(rule),
  };
}

export function questionOf(rule: Rule): Question {
  if ('all' in rule) return unless(false, rule.all.map(questionOf));
  if ('any' in rule) return unless(true, rule.any.map(questionOf));
  if ('not' in rule) return opposite(questionOf(rule.not));
  return leafQuestion(rule).ask;
}

export function leafQuestion(leaf: Leaf): LeafQuestion {
  if ('field' in leaf) return fieldQuestion(leaf);
  if ('date' in leaf) return dateQuestion(leaf);
  if ('event' in leaf) return eventQuestion(leaf);
  if ('campaign' in leaf) return campaignQuestion(leaf);
  return segmentQuestion(leaf);
}

/**
 * `all` is yes unless one part says no; `any` is no unless one part says yes. `decisive` is the answer that settles it.
 * Settled, it stays so until the last of the deciding parts may change; open, until the first of any.
 */
function unless(decisive: boolean, parts: readonly Question[]): Question {
  return (subject, now) => {
    let settledUntil = now;
    let openUntil = never;
    let settled = false;
    for (const part of parts) {
      const verdict = part(subject, now);
      if (verdict.matches === decisive) {
        if (verdict.until === never) return verdict;
        settled = true;
        settledUntil = Math.max(settledUntil, verdict.until);
      } else openUntil = Math.min(openUntil, verdict.until);
    }
    return settled ? { matches: decisive, until: settledUntil } : { matches: !decisive, until: openUntil };
  };
}

const opposite =
  (question: Question): Question =>
  (subject, now) => {
    const { matches, until } = question(subject, now);
    return { matches: !matches, until };
  };

/** Far beyond any real rule; only dates that recur and never coincide go on for ever. */
const mostSteps = 20;

/**
 * The answer now, and when it changes. A verdict's `until` is only a moment before which nothing changes (two parts may
 * flip and cancel out), so the question is asked again there until the answer differs. A rule still unchanged after
 * `mostSteps` is reported with that last moment: asking again then is right, if not yet needed.
 */
export function answer(question: Question, subject: Subject, now: Date): Answer {
  const first = question(subject, now.getTime());
  let { until } = first;
  for (let step = 0; step < mostSteps && until !== never; step += 1) {
    const next: Verdict = question(subject, until);
    if (next.matches !== first.matches) break;
    until = next.until;
  }
  return { matches: first.matches, flipsAt: moment(until) };
}

// What no ISO 8601 year can name is never.
const moment = (instant: Instant): Date | null => (instant < latest ? new Date(instant) : null);
