import { z } from 'zod';
import { Leaf, type Rule } from './rule.ts';
import { evaluate, evaluatorOf, leafEvaluator } from './rule-predicate.ts';
import type { Evaluator, Subject } from './subject.ts';

const outcome = {
  matches: z.boolean().describe('Whether the contact matches this part of the rule.'),
  flips_at: z.iso.datetime().nullable().describe('When the result of this part changes through time alone; null if never.'),
};

type Outcome = { matches: boolean; flips_at: string | null };
export type Explanation = Outcome & ({ all: Explanation[] } | { any: Explanation[] } | { not: Explanation } | { rule: Leaf; saw: unknown });

/** The schema of an explanation, for responses. */
export const Explanation: z.ZodType<Explanation> = z
  .union([
    z.strictObject({
      ...outcome,
      get all() {
        return z.array(Explanation);
      },
    }),
    z.strictObject({
      ...outcome,
      get any() {
        return z.array(Explanation);
      },
    }),
    z.strictObject({
      ...outcome,
      get not() {
        return Explanation;
      },
    }),
    z
      .strictObject({
        ...outcome,
        rule: Leaf,
        saw: z
          .unknown()
          .describe(
            'The value that the condition was evaluated against. For events, campaigns and forms: their number, the time of the newest and, for `sum` and the other aggregates, the `value`. For a sequence: how many times it happened, and when the newest began.',
          ),
      })
      .meta({ title: 'Condition' }),
  ])
  .meta({
    id: 'RuleExplanation',
    description: 'The tree of a rule: the result of every part, and the value that each condition was evaluated against.',
  });

/** The tree of a checked rule with the result of every part at `now`. The result of the root equals that of the compiled rule. */
export function explainRule(rule: Rule, subject: Subject, now: Date): Explanation {
  const explained = (inner: Rule) => explainRule(inner, subject, now);
  const outcomeOf = (question: Evaluator): Outcome => {
    const { matches, flipsAt } = evaluate(question, subject, now);
    return { matches, flips_at: flipsAt?.toISOString() ?? null };
  };
  if ('all' in rule) return { all: rule.all.map(explained), ...outcomeOf(evaluatorOf(rule)) };
  if ('any' in rule) return { any: rule.any.map(explained), ...outcomeOf(evaluatorOf(rule)) };
  if ('not' in rule) return { not: explained(rule.not), ...outcomeOf(evaluatorOf(rule)) };

  const leaf = leafEvaluator(rule);
  return { rule, saw: leaf.see(subject, now.getTime()) ?? null, ...outcomeOf(leaf.evaluate) };
}
