import { z } from 'zod';
import { CampaignLeaf, EventLeaf, FormLeaf } from './activity-leaf.ts';
import { maxConditions, ruleProblems } from './check-rule.ts';
import { DateLeaf } from './date-leaf.ts';
import { FieldLeaf } from './field-leaf.ts';
import { SegmentLeaf } from './segment-leaf.ts';
import { SequenceLeaf } from './sequence-leaf.ts';

export const Leaf = z.union([FieldLeaf, DateLeaf, EventLeaf, SequenceLeaf, CampaignLeaf, FormLeaf, SegmentLeaf]);
export type Leaf = z.infer<typeof Leaf>;

export type Rule = { all: Rule[] } | { any: Rule[] } | { not: Rule } | Leaf;

const Node: z.ZodType<Rule, Rule> = z
  .union([
    z
      .strictObject({
        get all() {
          return z.array(Node).min(1).max(maxConditions);
        },
      })
      .meta({ title: 'All of' }),
    z
      .strictObject({
        get any() {
          return z.array(Node).min(1).max(maxConditions);
        },
      })
      .meta({ title: 'Any of' }),
    z
      .strictObject({
        get not() {
          return Node;
        },
      })
      .meta({ title: 'Not' }),
    Leaf,
  ])
  .meta({
    id: 'Rule',
    description:
      'Selects contacts: a condition, or a group (all, any, not) of conditions and groups. ' +
      'At most 100 conditions, nested at most 6 levels deep. Examples of everything: [rule language](/reference/rules).',
    examples: [
      {
        all: [
          { field: 'address.city', op: 'eq', value: 'Berlin' },
          { event: 'order_placed', in_last: 'P30D' },
        ],
      },
    ],
  });

// A union alone would only report that no option fits, at any depth. zod's `preprocess` cannot encode, which serialising responses
// needs; this transform leaves the value unchanged in both directions.
const Checked = z.core.$constructor('CheckedRule', (inst: z.core.$ZodTransform<unknown, Rule>, def: z.core.$ZodTransformDef) => {
  z.core.$ZodTransform.init(inst, def);
  inst._zod.parse = (payload) => {
    for (const problem of ruleProblems(payload.value)) payload.issues.push({ ...problem, input: payload.value });
    return payload;
  };
});

/** A rule about one contact. Errors name the invalid condition and field, and what would be valid. */
export const Rule: z.ZodType<Rule, Rule> = z.pipe(new Checked({ type: 'transform', transform: (value) => value }), Node);
