import { z } from 'zod';
import { CampaignLeaf, EventLeaf } from './activity-leaf.ts';
import { mostLeaves, ruleProblems } from './check-rule.ts';
import { DateLeaf } from './date-leaf.ts';
import { FieldLeaf } from './field-leaf.ts';
import { SegmentLeaf } from './segment-leaf.ts';

export const Leaf = z.union([FieldLeaf, DateLeaf, EventLeaf, CampaignLeaf, SegmentLeaf]);
export type Leaf = z.infer<typeof Leaf>;

export type Rule = { all: Rule[] } | { any: Rule[] } | { not: Rule } | Leaf;

const Node: z.ZodType<Rule> = z
  .union([
    z.strictObject({
      get all() {
        return z.array(Node).min(1).max(mostLeaves);
      },
    }),
    z.strictObject({
      get any() {
        return z.array(Node).min(1).max(mostLeaves);
      },
    }),
    z.strictObject({
      get not() {
        return Node;
      },
    }),
    Leaf,
  ])
  .meta({
    id: 'Rule',
    description: 'A question about one contact: all, any and not over conditions, at most 6 deep and 100 conditions.',
    examples: [
      {
        all: [
          { field: 'address.city', op: 'eq', value: 'Berlin' },
          { event: 'order_placed', in_last: 'P30D' },
        ],
      },
    ],
  });

/** A question about one contact. A refusal names the condition and the member that is wrong, and what would be right. */
export const Rule = z.preprocess((value, context) => {
  // A union alone would only say that no shape fits, and would follow any depth.
  for (const problem of ruleProblems(value)) context.addIssue(problem);
  return value;
}, Node);
