import { segmentId } from '@mp/contracts/ids';
import { newId } from '@mp/ids';
import { Rule } from '@mp/rules/rule';
import { z } from 'zod';
import { Backlog } from './backlog.ts';
import { Warning } from './find-warnings.ts';

export const SegmentStatus = z.enum(['building', 'ready', 'failed']);
export const SegmentKind = z
  .enum(['dynamic', 'static'])
  .describe('`dynamic`: the contacts that match `definition`. `static`: the contacts that callers add and remove.');

/**
 * A dynamic segment has the contacts that match its rule, and changes when a contact, an event or the passage of time changes the
 * result. A static segment has the contacts that callers add.
 */
export const Segment = z
  .object({
    id: segmentId.describe('`segment_` and a time-ordered suffix; opaque.'),
    name: z.string().describe('Unique in the account, case-insensitive.'),
    description: z.string().nullable(),
    kind: SegmentKind,
    definition: Rule.nullable().describe('The rule; null for a static segment.'),
    version: z.number().int().describe('Increases by one with every new definition.'),
    status: SegmentStatus.describe(
      '`building` until every contact has been evaluated; until then, the members are those of the previous version. `failed`: the ' +
        'segment could not be built; update it with its definition to retry. A static segment is `building` while it copies members.',
    ),
    count: z.number().int().describe('The current number of members, updated within a second of a change.'),
    evaluated_at: z.iso.datetime().nullable().describe('When its membership last changed, or was last evaluated in full.'),
    revision: z.number().int().describe('Increases by one with every change of the segment itself.'),
    archived_at: z.iso
      .datetime()
      .nullable()
      .describe('When it was archived; null: it is not. The members of an archived segment are those of that moment.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Segment' });
export type Segment = z.infer<typeof Segment>;

/** A single segment with the warnings about its definition. */
export const DefinedSegment = Segment.extend({
  warnings: z.array(Warning).describe('Names in the definition that the account has never used; they may be typos.'),
  backlog: Backlog.nullable()
    .optional()
    .describe('With `include=backlog`: what the members do not reflect yet, for example after a large import; null when nothing waits.'),
}).meta({ id: 'DefinedSegment' });

/** A period in which a version was being built and the memberships were partly those of the previous version. */
export type Build = { from: Date; to: Date; first: boolean };

/** A segment without its counts, with what is needed to read its past members. */
export type StoredSegment = Omit<Segment, 'count' | 'evaluated_at'> & {
  /** Changes under the current version are dated after this time. */
  definition_at: Date;
  /** When the current build started; null if it is not being built. */
  building_from: Date | null;
  builds: Build[];
};

type NewSegment = { name: string; description?: string | null | undefined; definition: Rule | null };

/** A static segment is ready at once, unless it is created as a copy. */
export function newSegment(body: NewSegment, now: Date, { copied = false } = {}): StoredSegment {
  const built = body.definition === null && !copied;
  return {
    id: newId('segment'),
    name: body.name,
    description: body.description ?? null,
    kind: body.definition === null ? 'static' : 'dynamic',
    definition: body.definition,
    version: 1,
    status: built ? 'ready' : 'building',
    revision: 1,
    archived_at: null,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    definition_at: now,
    building_from: built ? null : now,
    builds: [],
  };
}

type SegmentChange = { name?: string | undefined; description?: string | null | undefined; definition?: Rule | null | undefined };

/**
 * The segment after the change. `changed` is false if there is nothing to write. `redefined` is true if every contact must be
 * re-evaluated, even if a failed segment is sent again with the same definition.
 */
export function changeSegment(before: StoredSegment, change: SegmentChange, now: Date) {
  const { name = before.name, description = before.description, definition = before.definition } = change;
  const again = before.status === 'failed' && before.kind === 'dynamic' && change.definition !== undefined;
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
    // A version that was never ready has not been visible; readers still get the previous one.
    building_from: before.building_from ?? now,
  };
  return { segment: { ...segment, ...building }, changed, redefined };
}

/** The segment without evaluations: its members stay as they are, except those whose contact is deleted. */
export const archived = (before: StoredSegment, now: Date): StoredSegment => ({
  ...before,
  revision: before.revision + 1,
  updated_at: now.toISOString(),
  archived_at: now.toISOString(),
});

/** The restored segment. A dynamic one is rebuilt, because contacts and time have changed in the meantime. */
export function restored(before: StoredSegment, now: Date): StoredSegment {
  const segment: StoredSegment = { ...before, revision: before.revision + 1, updated_at: now.toISOString(), archived_at: null };
  if (segment.kind === 'static') return segment;
  const { version, building_from } = before;
  return { ...segment, version: version + 1, status: 'building', definition_at: now, building_from: building_from ?? now };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/**
 * The time at which to read the members as of `asOf`. During a build this is the time it started, so that a mixture of two
 * versions is never returned; during the first build, the time it was ready. Undefined: not ready yet.
 */
export function readableMoment({ building_from, builds }: StoredSegment, asOf: Date): Date | undefined {
  if (building_from && asOf >= building_from) return builds.length === 0 ? undefined : building_from;
  const build = builds.find(({ from, to }) => asOf >= from && asOf < to);
  if (!build) return asOf;
  return build.first ? build.to : build.from;
}
