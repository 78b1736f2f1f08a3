import { z } from 'zod';
import { answer, leafQuestion, questionOf } from './compile.ts';
import { Leaf, type Rule } from './rule.ts';
import type { Question, Subject } from './subject.ts';

const outcome = {
  matches: z.boolean(),
  flips_at: z.iso.datetime().nullable().describe('When this alone changes if nothing but time happens; null when it never does'),
};

export type Outcome = { matches: boolean; flips_at: string | null };
export type Explanation = Outcome & ({ all: Explanation[] } | { any: Explanation[] } | { not: Explanation } | { rule: Leaf; saw: unknown });

/** The shape of an explanation, for answers. */
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
    z.strictObject({
      ...outcome,
      rule: Leaf,
      saw: z.unknown().describe('The value the condition looked at; for events and campaigns how many count and the newest of them'),
    }),
  ])
  .meta({ id: 'RuleExplanation', description: 'The tree of a rule, every part with its answer and every condition with what it saw.' });

/** The tree of a checked rule, every part with its answer at `now`. The root says what the compiled rule says. */
export function explainRule(rule: Rule, subject: Subject, now: Date): Explanation {
  const explained = (inner: Rule) => explainRule(inner, subject, now);
  const outcomeOf = (question: Question): Outcome => {
    const { matches, flipsAt } = answer(question, subject, now);
    return { matches, flips_at: flipsAt?.toISOString() ?? null };
  };
  if ('all' in rule) return { all: rule.all.map(explained), ...outcomeOf(questionOf(rule)) };
  if ('any' in rule) return { any: rule.any.map(explained), ...outcomeOf(questionOf(rule)) };
  if ('not' in rule) return { not: explained(rule.not), ...outcomeOf(questionOf(rule)) };

  const { ask, see } = leafQuestion(rule);
  return { rule, saw: see(subject, now.getTime()) ?? null, ...outcomeOf(ask) };
}
