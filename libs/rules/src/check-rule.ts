import { didYouMean } from '@mp/contracts/nearest';
import type { z } from 'zod';
import { CampaignLeaf, EventLeaf, FormLeaf } from './activity-leaf.ts';
import { DateLeaf } from './date-leaf.ts';
import { FieldLeaf } from './field-leaf.ts';
import { SegmentLeaf } from './segment-leaf.ts';
import { SequenceLeaf } from './sequence-leaf.ts';

export const maxConditions = 100;
const maxDepth = 6;
const maxProblems = 20;

const leaves = {
  field: FieldLeaf,
  date: DateLeaf,
  event: EventLeaf,
  sequence: SequenceLeaf,
  campaign: CampaignLeaf,
  form: FormLeaf,
  segment: SegmentLeaf,
};
const kinds = ['all', 'any', 'not', 'field', 'date', 'event', 'sequence', 'campaign', 'form', 'segment'] as const;

type Path = readonly PropertyKey[];
export type Problem = { code: 'custom'; path: PropertyKey[]; message: string };
type Place = { value: unknown; path: Path; depth: number };

/**
 * The problems of a value that should be a rule, each with its path; empty for a valid rule. Iterates with an explicit list and no
 * deeper than a rule may be, so that no value can overflow the stack.
 */
export function ruleProblems(rule: unknown): Problem[] {
  const problems: Problem[] = [];
  const pending: Place[] = [{ value: rule, path: [], depth: 0 }];
  let leafCount = 0;

  for (let place = pending.pop(); place && problems.length < maxProblems; place = pending.pop()) {
    const found = look(place);
    problems.push(...found.problems);
    // Reversed, so that the first child is checked next and problems are in reading order.
    pending.push(...found.children.reverse());
    leafCount += found.isLeaf ? 1 : 0;
    if (leafCount > maxConditions) return [...problems, problem([], `A rule can have at most ${maxConditions} conditions.`)];
  }
  return problems;
}

type Look = { problems: Problem[]; children: Place[]; isLeaf: boolean };

function look({ value, path, depth }: Place): Look {
  const wrong = (message: string, at: Path = path): Look => ({ problems: [problem(at, message)], children: [], isLeaf: false });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong('A condition must be an object such as {"field": …, "op": …}.');

  const present = kinds.filter((kind) => Object.hasOwn(value, kind));
  const [kind] = present;
  if (kind === undefined) return wrong(`A condition must have one of ${kinds.join(', ')}.${nearKind(value)}`);
  if (present.length > 1) return wrong(`Use only one of ${kinds.join(', ')} per condition; this one has ${present.join(' and ')}.`);

  if (kind !== 'all' && kind !== 'any' && kind !== 'not') {
    return { problems: problemsOf(leaves[kind], value, path), children: [], isLeaf: true };
  }
  const stray = Object.keys(value).filter((key) => key !== kind);
  if (stray.length > 0) return wrong(`A condition with ${kind} cannot have other fields: remove ${stray.slice(0, 3).join(', ')}.`);
  if (depth === maxDepth) return wrong(`all, any and not can be nested at most ${maxDepth} levels deep.`);

  const inner: unknown = Object.entries(value)[0]?.[1];
  const below = { depth: depth + 1 };
  if (kind === 'not') return { problems: [], children: [{ value: inner, path: [...path, kind], ...below }], isLeaf: false };
  if (!Array.isArray(inner)) return wrong(`${kind} must be a list of conditions.`, [...path, kind]);
  if (inner.length === 0) return wrong(`${kind} must have at least one condition.`, [...path, kind]);
  if (inner.length > maxConditions) return wrong(`A rule can have at most ${maxConditions} conditions.`, [...path, kind]);
  const children = inner.map((child: unknown, index) => ({ value: child, path: [...path, kind, index], ...below }));
  return { problems: [], children, isLeaf: false };
}

/** A misspelt name among those of the condition. */
const nearKind = (value: object) =>
  Object.keys(value)
    .slice(0, 20)
    .map((key) => didYouMean(key, kinds))
    .find((hint) => hint !== '') ?? '';

function problemsOf(leaf: z.ZodType, value: unknown, path: Path): Problem[] {
  const { error } = leaf.safeParse(value);
  return (error?.issues ?? []).map(mostSpecific).map((issue) => problem([...path, ...issue.path], issue.message));
}

type Issue = { path: PropertyKey[]; message: string };

/** The most specific issue inside a union, which most likely belongs to the intended option. */
function mostSpecific(issue: z.core.$ZodIssue): Issue {
  if (issue.code === 'invalid_key') return { path: issue.path, message: issue.issues[0]?.message ?? issue.message };
  if (issue.code !== 'invalid_union') return issue;
  const [deep] = issue.errors
    .flat()
    .map(mostSpecific)
    .filter((inner) => inner.path.length > 0);
  return deep ? { path: [...issue.path, ...deep.path], message: deep.message } : issue;
}

const problem = (path: Path, message: string): Problem => ({ code: 'custom', path: [...path], message });
