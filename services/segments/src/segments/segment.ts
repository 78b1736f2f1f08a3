import { newId } from '@mp/ids';
import { Rule } from '@mp/rules/rule';
import { z } from 'zod';

export const SegmentStatus = z.enum(['building', 'ready', 'failed']);
export const SegmentKind = z.enum(['dynamic']);

/** A standing question about contacts; its answer changes when a fact or the clock changes it. */
export const Segment = z
  .object({
    id: z.string().describe('`segment_` and a time-ordered suffix; opaque.'),
    name: z.string().describe('Unique in the account, case-insensitive.'),
    description: z.string().nullable(),
    kind: SegmentKind,
    definition: Rule,
    version: z.number().int().describe('Increases by one with every new definition.'),
    status: SegmentStatus.describe(
      '`building` until every contact has been evaluated; until then, the members are those of the previous version. `failed`: the ' +
        'segment could not be built; update it with its definition to retry.',
    ),
    count: z.number().int().describe('The current number of members, updated within a second of a change.'),
    evaluated_at: z.iso.datetime().nullable().describe('When its membership last changed, or was last evaluated in full.'),
    revision: z.number().int().describe('Increases by one with every change of the segment itself.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Segment' });
export type Segment = z.infer<typeof Segment>;

/** While a version was built, the memberships were partly those of the version before. */
export type Build = { from: Date; to: Date; first: boolean };

/** A segment without its figures, and what reading its past needs. */
export type StoredSegment = Omit<Segment, 'count' | 'evaluated_at'> & {
  /** Changes under the current version come after this moment. */
  definition_at: Date;
  /** Since when it is being built; null when it is not. */
  building_from: Date | null;
  builds: Build[];
};

export function newSegment(body: { name: string; description?: string | null | undefined; definition: Rule }, now: Date): StoredSegment {
  return {
    id: newId('segment'),
    name: body.name,
    description: body.description ?? null,
    kind: 'dynamic',
    definition: body.definition,
    version: 1,
    status: 'building',
    revision: 1,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    definition_at: now,
    building_from: now,
    builds: [],
  };
}

type SegmentChange = { name?: string | undefined; description?: string | null | undefined; definition?: Rule | undefined };

/**
 * The segment after the change; `changed` false when nothing is to be written, `redefined` when all contacts are to be asked
 * anew: also under the same definition, when it is put again because building it failed.
 */
export function changeSegment(before: StoredSegment, change: SegmentChange, now: Date) {
  const { name = before.name, description = before.description, definition = before.definition } = change;
  const again = before.status === 'failed' && change.definition !== undefined;
  const redefined = again || !same(definition, before.definition);
  const changed = redefined || name !== before.name || description !== before.description;
  if (!changed) return { segment: before, changed, redefined };
  const segment: StoredSegment = { ...before, name, description, revision: before.revision + 1, updated_at: now.toISOString() };
  if (!redefined) return { segment, changed, redefined };
  const building: Partial<StoredSegment> = {
    definition,
    version: before.version + 1,
    status: 'building',
    definition_at: now,
    // A version that was never ready has shown nothing: readers stay with the one before it.
    building_from: before.building_from ?? now,
  };
  return { segment: { ...segment, ...building }, changed, redefined };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/**
 * The moment whose intervals answer "who is in it as of then". Within a build that is the moment before it began, so that
 * nobody reads a mixture of two versions; within the first build it is the moment it was ready. Undefined: not ready yet.
 */
export function readableMoment({ building_from, builds }: StoredSegment, asOf: Date): Date | undefined {
  if (building_from && asOf >= building_from) return builds.length === 0 ? undefined : building_from;
  const build = builds.find(({ from, to }) => asOf >= from && asOf < to);
  if (!build) return asOf;
  return build.first ? build.to : build.from;
}
