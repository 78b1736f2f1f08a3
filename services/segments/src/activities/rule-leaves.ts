import type { Leaf, Rule } from '@mp/rules/rule';

export type PlacedLeaf = { leaf: Leaf; path: string };

/** Every condition of a rule, with its JSON pointer, which starts with `path`. */
export function leavesOf(rule: Rule, path = ''): PlacedLeaf[] {
  if ('all' in rule) return rule.all.flatMap((inner, index) => leavesOf(inner, `${path}/all/${index}`));
  if ('any' in rule) return rule.any.flatMap((inner, index) => leavesOf(inner, `${path}/any/${index}`));
  return 'not' in rule ? leavesOf(rule.not, `${path}/not`) : [{ leaf: rule, path }];
}

/** The rule with each condition replaced. */
export function mapLeaves(rule: Rule, replace: (leaf: Leaf) => Leaf): Rule {
  if ('all' in rule) return { all: rule.all.map((inner) => mapLeaves(inner, replace)) };
  if ('any' in rule) return { any: rule.any.map((inner) => mapLeaves(inner, replace)) };
  return 'not' in rule ? { not: mapLeaves(rule.not, replace) } : replace(rule);
}
