import type { SegmentId } from '@mp/ids';
import { type CampaignActivity, campaignActivityName, type FormActivity, formActivityName } from '@mp/rules/activity';
import type { Rule } from '@mp/rules/rule';
import { compileRule, type RulePredicate } from '@mp/rules/rule-predicate';
import { activityReach, type Reach, withinKeeping } from '../activities/activity.ts';
import type { StoredSegment } from './segment.ts';

/** A dynamic segment's definition, compiled for evaluation. */
export type Definition = {
  id: SegmentId;
  name: string;
  version: number;
  definitionAt: Date;
  rule: RulePredicate;
  reach: ReadonlyMap<string, Reach>;
};

export type DefinitionIndex = ReturnType<typeof indexDefinitions>;

/** Every definition of an account, with an index of those each change can affect; only these are evaluated. */
export function indexDefinitions(segments: readonly StoredSegment[]) {
  const byId = new Map(
    segments.flatMap((segment) =>
      segment.definition && segment.archived_at === null ? [[segment.id, definitionOf(segment, segment.definition)]] : [],
    ),
  );
  const statics = segments.filter(({ kind }) => kind === 'static').map(({ id }) => id);
  const all = new Map(segments.map((segment) => [segment.id, segment]));
  const byField = new Map<string, SegmentId[]>();
  const byActivity = new Map<string, SegmentId[]>();
  const dependents = new Map<string, SegmentId[]>();
  for (const { id, rule } of byId.values()) {
    const { fields, events, campaigns, forms, segments: named } = rule.dependencies;
    for (const field of fields) add(byField, field, id);
    for (const event of events) add(byActivity, event, id);
    for (const { activity, campaign } of campaigns) add(byActivity, campaignKey(activity, campaign), id);
    for (const { activity, form } of forms) add(byActivity, formKey(activity, form), id);
    for (const segment of named) add(dependents, segment, id);
  }
  const found = (index: Map<string, SegmentId[]>, keys: readonly string[]) => new Set(keys.flatMap((key) => index.get(key) ?? []));

  return {
    /** Undefined for static and archived segments, which are not evaluated. */
    get: (id: SegmentId) => byId.get(id),
    /** The name of any segment, including one that is not evaluated; undefined if the account does not have it. */
    nameOf: (id: SegmentId) => all.get(id)?.name,
    versionOf: (id: SegmentId) => all.get(id)?.version ?? 1,
    /** Each after those it depends on, so that one pass is enough. */
    inOrder: inOrder(byId),
    /** The segments that depend on this one. */
    dependents: (id: SegmentId): readonly SegmentId[] => dependents.get(id) ?? [],

    /** The static segments. */
    statics: (): SegmentId[] => statics,
    /** The segments whose rules depend on activities. */
    withActivities: () => new Set([...byActivity.values()].flat()),
    /** All definitions, for changes that can affect any of them. */
    all: (): Set<SegmentId> => new Set(byId.keys()),
    touchedByFields: (fields: readonly string[]) => found(byField, fields),
    touchedByEvent: (event: string) => found(byActivity, [event]),
    touchedByCampaign: (activity: CampaignActivity, campaign: string | null) =>
      found(byActivity, [campaignKey(activity, 'any'), ...(campaign === null ? [] : [campaignKey(activity, campaign)])]),

    touchedByForm: (activity: FormActivity, form: string) => found(byActivity, [formKey(activity, 'any'), formKey(activity, form)]),

    /** These segments and all that depend on them, directly or indirectly. */
    withDependents(ids: Iterable<SegmentId>): Set<SegmentId> {
      const reached = new Set(ids);
      for (const id of reached) for (const dependent of dependents.get(id) ?? []) reached.add(dependent);
      return reached;
    },
  };
}

// Cannot collide with a tracked event, because activities of campaigns and forms have reserved prefixes.
const campaignKey = (activity: CampaignActivity, campaign: string) => `${campaignActivityName(activity)} ${campaign}`;
const formKey = (activity: FormActivity, form: string) => `${formActivityName(activity)} ${form}`;

function definitionOf({ id, name, version, definition_at }: StoredSegment, definition: Rule): Definition {
  const rule = withinKeeping(definition);
  return { id, name, version, definitionAt: definition_at, rule: compileRule(rule), reach: activityReach(rule) };
}

function add(index: Map<string, SegmentId[]>, key: string, id: SegmentId) {
  const ids = index.get(key);
  if (ids) ids.push(id);
  else index.set(key, [id]);
}

/** Definitions have no cycles, so the recursion ends. */
function inOrder(byId: ReadonlyMap<string, Definition>): Definition[] {
  const ordered = new Set<Definition>();
  const visit = (definition: Definition) => {
    if (ordered.has(definition)) return;
    for (const named of definition.rule.dependencies.segments) {
      const before = byId.get(named);
      if (before) visit(before);
    }
    ordered.add(definition);
  };
  for (const definition of byId.values()) visit(definition);
  return [...ordered];
}
