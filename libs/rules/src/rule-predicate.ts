import { campaignEvaluator, eventEvaluator, formEvaluator } from './activity-leaf.ts';
import { latest } from './calendar.ts';
import { dateEvaluator } from './date-leaf.ts';
import { type Dependencies, dependenciesOf } from './dependencies.ts';
import { fieldEvaluator } from './field-leaf.ts';
import type { Leaf, Rule } from './rule.ts';
import { segmentEvaluator } from './segment-leaf.ts';
import { sequenceEvaluator } from './sequence-leaf.ts';
import { type Evaluation, type Evaluator, type Instant, type LeafEvaluator, never, type Subject } from './subject.ts';

export type Result = {
  matches: boolean;
  /** When the result changes through time alone; null if never. */
  flipsAt: Date | null;
};

export type RulePredicate = {
  matches: (subject: Subject, now: Date) => Result;
  dependencies: Dependencies;
};

/** Compiles a checked rule to a predicate. Compile once and evaluate often: operands are parsed here, not during evaluation. */
export function compileRule(rule: Rule): RulePredicate {
  const question = evaluatorOf(rule);
  return {
    matches: (subject, now) => evaluate(question, subject, now),
    dependencies: dependenciesOf(rule),
  };
}

export function evaluatorOf(rule: Rule): Evaluator {
  if ('all' in rule) return unless(false, rule.all.map(evaluatorOf));
  if ('any' in rule) return unless(true, rule.any.map(evaluatorOf));
  if ('not' in rule) return opposite(evaluatorOf(rule.not));
  return leafEvaluator(rule).evaluate;
}

export function leafEvaluator(leaf: Leaf): LeafEvaluator {
  if ('field' in leaf) return fieldEvaluator(leaf);
  if ('date' in leaf) return dateEvaluator(leaf);
  if ('event' in leaf) return eventEvaluator(leaf);
  if ('sequence' in leaf) return sequenceEvaluator(leaf);
  if ('campaign' in leaf) return campaignEvaluator(leaf);
  if ('form' in leaf) return formEvaluator(leaf);
  return segmentEvaluator(leaf);
}

/**
 * `all` is true unless one part is false; `any` is false unless one part is true. `decisive` is the result of a part that decides.
 * A decided result holds until the last of the deciding parts can change, an undecided one until the first part can change.
 */
function unless(decisive: boolean, parts: readonly Evaluator[]): Evaluator {
  return (subject, now) => {
    let settledUntil = now;
    let openUntil = never;
    let settled = false;
    for (const part of parts) {
      const evaluation = part(subject, now);
      if (evaluation.matches === decisive) {
        if (evaluation.until === never) return evaluation;
        settled = true;
        settledUntil = Math.max(settledUntil, evaluation.until);
      } else openUntil = Math.min(openUntil, evaluation.until);
    }
    return settled ? { matches: decisive, until: settledUntil } : { matches: !decisive, until: openUntil };
  };
}

const opposite =
  (question: Evaluator): Evaluator =>
  (subject, now) => {
    const { matches, until } = question(subject, now);
    return { matches: !matches, until };
  };

/** Far more than any real rule needs; only recurring dates that never coincide would continue forever. */
const maxSteps = 20;

/**
 * The result now, and when it changes. An evaluation's `until` is only a time before which nothing changes (two parts may change and
 * cancel out), so the rule is evaluated again at each `until` until the result differs. If it is unchanged after `maxSteps`, the
 * last `until` is returned: evaluating again then is correct, if not yet necessary.
 */
export function evaluate(question: Evaluator, subject: Subject, now: Date): Result {
  const first = question(subject, now.getTime());
  let { until } = first;
  for (let step = 0; step < maxSteps && until !== never; step += 1) {
    const next: Evaluation = question(subject, until);
    if (next.matches !== first.matches) break;
    until = next.until;
  }
  return { matches: first.matches, flipsAt: moment(until) };
}

// Beyond the years of ISO 8601 means never.
const moment = (instant: Instant): Date | null => (instant < latest ? new Date(instant) : null);
