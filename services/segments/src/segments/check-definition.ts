import { invalid } from '@mp/contracts/errors';
import { type SegmentId, trustedId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import { maxActivities } from '../activities/activity.ts';
import { leavesOf } from '../activities/rule-leaves.ts';

type Named = { id: SegmentId; name: string; definition: Rule | null; archived_at: string | null };

/**
 * Checks what the schema cannot: the segments a definition uses must exist in the account and must not depend on it.
 * `others` are all segments of the account; `id` is the one being defined. Throws VALIDATION_ERROR at the condition.
 */
export function checkDefinition(id: SegmentId, name: string, definition: Rule, others: readonly Named[]) {
  const byId = new Map<string, Named>(others.map((segment) => [segment.id, segment]));
  for (const { leaf, path } of leavesOf(definition, '/definition')) {
    if ('count' in leaf && Object.values(leaf.count ?? {}).some((times) => times !== undefined && times > maxActivities)) {
      throw invalid(`${path}/count`, 'too_big', `A count can be at most ${maxActivities}.`);
    }
    if (!('segment' in leaf)) continue;
    if (leaf.segment !== id && !byId.has(leaf.segment)) {
      throw invalid(`${path}/segment`, 'unknown_segment', `No segment with the id ${leaf.segment} in this account.`);
    }
    if (byId.get(leaf.segment)?.archived_at) {
      throw invalid(`${path}/segment`, 'archived_segment', `The segment ${leaf.segment} is archived; restore it first.`);
    }
    const dependencyPath = pathTo(id, leaf.segment, byId, new Set());
    if (dependencyPath) {
      const cycle = [name, ...dependencyPath.map((passed) => byId.get(passed)?.name ?? passed), name].join(' → ');
      throw invalid(`${path}/segment`, 'cycle', `A segment cannot depend on itself: ${cycle}.`);
    }
  }
}

/** A dependency path from `from` to `goal`, without `goal`; undefined if there is none. */
function pathTo(goal: string, from: string, byId: ReadonlyMap<string, Named>, seen: Set<string>): string[] | undefined {
  if (from === goal) return [];
  if (seen.has(from)) return undefined;
  seen.add(from);
  for (const next of namedSegments(byId.get(from)?.definition)) {
    const dependencyPath = pathTo(goal, next, byId, seen);
    if (dependencyPath) return [from, ...dependencyPath];
  }
  return undefined;
}

export const namedSegments = (rule: Rule | null | undefined): SegmentId[] =>
  rule ? leavesOf(rule).flatMap(({ leaf }) => ('segment' in leaf ? [trustedId<'segment'>(leaf.segment)] : [])) : [];
