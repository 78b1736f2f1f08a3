import { z } from 'zod';
import { CampaignLeaf, EventLeaf } from './activity-leaf.ts';
import { mostLeaves, ruleProblems } from './check-rule.ts';
import { DateLeaf } from './date-leaf.ts';
import { FieldLeaf } from './field-leaf.ts';
import { SegmentLeaf } from './segment-leaf.ts';

export const Leaf = z.union([FieldLeaf, DateLeaf, EventLeaf, CampaignLeaf, SegmentLeaf]);
export type Leaf = z.infer<typeof Leaf>;

export type Rule = { all: Rule[] } | { any: Rule[] } | { not: Rule } | Leaf;

const Node: z.ZodType<Rule, Rule> = z
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

// A union alone would only say that no shape fits, and would follow any depth. Zod's own preprocess would do, but its
// transforms refuse to run backwards, which is how answers are written; this one leaves the value as it is either way.
const Checked = z.core.$constructor('CheckedRule', (inst: z.core.$ZodTransform<unknown, Rule>, def: z.core.$ZodTransformDef) => {
  z.core.$ZodTransform.init(inst, def);
  inst._zod.parse = (payload) => {
    for (const problem of ruleProblems(payload.value)) payload.issues.push({ ...problem, input: payload.value });
    return payload;
  };
});

/** A question about one contact. A refusal names the condition and the member that is wrong, and what would be right. */
export const Rule: z.ZodType<Rule, Rule> = z.pipe(new Checked({ type: 'transform', transform: (value) => value }), Node);
