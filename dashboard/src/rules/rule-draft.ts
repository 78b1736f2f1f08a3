import type { DeclaredType } from '../contact-fields/attributes.ts';
import { isEqual } from '../json/is-equal.ts';
import type { Rule } from '../segments/segments.ts';
import { accountZone } from '../time/zone.ts';
import { isPresence } from './operators.ts';
import type { Condition } from './rule-labels.ts';
import { isSequenceComplete, newSequence, type SequenceDraft, sequenceDraft, sequenceOf } from './sequence-draft.ts';
import { boundsOf, parseValue, textOf } from './value-text.ts';
import { areComplete, filtersOf, rowsIn, type WhereRow } from './where.ts';

/** A rule in the builder: every part has an ID and holds text as typed. */
export type GroupDraft = { kind: 'group'; id: string; match: 'all' | 'any' | 'none'; rules: RuleDraft[] };
export type FieldDraft = {
  kind: 'field';
  id: string;
  field: string;
  op: string;
  value: string;
  /** The type of an attribute of the account. Without it, the value decides how it is compared. */
  type?: DeclaredType | undefined;
};
export type DateDraft = { kind: 'date'; id: string; date: string; op: string; value: string; timezone: string };
export type ActivityDraft = {
  kind: 'event' | 'campaign' | 'form';
  id: string;
  /** The event's name, or the ID of the campaign or form. */
  of: string;
  activity: string;
  times: 'gte' | 'lte' | 'eq';
  count: string;
  window: string;
  where: WhereRow[];
};
export type SegmentDraft = { kind: 'segment'; id: string; segment: string; op: 'in' | 'not_in' };
/** A condition that the fields cannot show, as JSON. */
export type WrittenDraft = { kind: 'written'; id: string; text: string };
export type RuleDraft = GroupDraft | FieldDraft | DateDraft | ActivityDraft | SequenceDraft | SegmentDraft | WrittenDraft;
export type ConditionDraft = Exclude<RuleDraft, GroupDraft>;

/** The zone of the account, or empty for UTC, which rules use without one. */
const zoneOrUsual = () => (accountZone() === 'UTC' ? '' : accountZone());

/** Also unique among restored drafts. */
const newId = () => `rule-${Math.random().toString(36).slice(2)}`;

export const newGroup = (rules: RuleDraft[] = []): GroupDraft => ({ kind: 'group', id: newId(), match: 'all', rules });

/** `of` is the event, campaign or form. */
export function newCondition(kind: ConditionDraft['kind'], of = kind === 'event' ? '' : 'any'): ConditionDraft {
  const id = newId();
  if (kind === 'field') return { kind, id, field: 'address.city', op: 'eq', value: '' };
  if (kind === 'date') return { kind, id, date: 'created_at', op: 'in_last', value: 'P30D', timezone: zoneOrUsual() };
  if (kind === 'sequence') return newSequence(id);
  if (kind === 'segment') return { kind, id, segment: '', op: 'in' };
  if (kind === 'written') return { kind, id, text: '' };
  return { kind, id, of, activity: kind === 'form' ? 'submitted' : 'opened', times: 'gte', count: '1', window: 'P30D', where: [] };
}

/** A rule as a group for the builder. */
export function draftOf(rule: Rule): GroupDraft {
  const draft = partOf(rule);
  return draft.kind === 'group' ? draft : newGroup([draft]);
}

function partOf(rule: Rule): RuleDraft {
  if ('all' in rule) return { ...newGroup(rule.all.map(partOf)), match: 'all' };
  if ('any' in rule) return { ...newGroup(rule.any.map(partOf)), match: 'any' };
  if ('not' in rule) return { ...newGroup('any' in rule.not ? rule.not.any.map(partOf) : [partOf(rule.not)]), match: 'none' };
  const draft = conditionDraft(rule);
  // Fields are used only if they produce exactly the same condition.
  return draft && isEqual(conditionOf(draft), withoutUsual(rule)) ? draft : { kind: 'written', id: newId(), text: JSON.stringify(rule) };
}

/** The condition without default values. */
function withoutUsual(rule: Condition): unknown {
  if ('segment' in rule && rule.op === 'in') return { segment: rule.segment };
  if (!('count' in rule) || !isEqual(rule.count, { gte: 1 })) return rule;
  const { count: _, ...rest } = rule;
  return rest;
}

function conditionDraft(rule: Condition): ConditionDraft | undefined {
  const id = newId();
  if ('segment' in rule) return { kind: 'segment', id, segment: rule.segment, op: rule.op ?? 'in' };
  if ('field' in rule)
    return { kind: 'field', id, field: rule.field, op: rule.op, value: 'value' in rule ? textOf(rule.value, rule.op) : '' };
  if ('date' in rule) {
    const value = 'value' in rule ? rule.value : ('within' in rule && rule.within) || '';
    return { kind: 'date', id, date: rule.date, op: rule.op, value, timezone: rule.timezone ?? '' };
  }
  if ('sequence' in rule) return sequenceDraft(rule, id);
  const [times = 'gte', count = 1] = Object.entries(rule.count ?? {})[0] ?? [];
  if (times !== 'gte' && times !== 'lte' && times !== 'eq') return undefined;
  const rest = { times, count: String(count), window: rule.in_last ?? '' } as const;
  if ('form' in rule) return { kind: 'form', id, of: rule.form, activity: rule.activity, where: [], ...rest };
  if ('campaign' in rule) return { kind: 'campaign', id, of: rule.campaign, activity: rule.activity, where: [], ...rest };
  return { kind: 'event', id, of: rule.event, activity: '', where: rowsIn(rule.where), ...rest };
}

/** The rule from a draft; the API validates it. */
export function ruleOf(draft: RuleDraft): unknown {
  if (draft.kind !== 'group') return conditionOf(draft);
  const rules = draft.rules.map(ruleOf);
  if (draft.match === 'all') return { all: rules };
  if (draft.match === 'any') return { any: rules };
  return { not: rules.length === 1 ? rules[0] : { any: rules } };
}

/** The path of a part of a group in its rule. */
export function pathOfPart({ match, rules }: GroupDraft, index: number): string {
  if (match !== 'none') return `/${match}/${index}`;
  return rules.length === 1 ? '/not' : `/not/any/${index}`;
}

function conditionOf(draft: ConditionDraft): unknown {
  if (draft.kind === 'written') return parsed(draft.text);
  if (draft.kind === 'sequence') return sequenceOf(draft);
  if (draft.kind === 'segment') return { segment: draft.segment, ...(draft.op === 'not_in' && { op: draft.op }) };
  if (draft.kind === 'field') {
    const { field, op, value, type } = draft;
    const isTyped = field.startsWith('attributes.') && type !== 'string' && type !== 'date' && type !== 'string_list';
    return { field, op, ...(!isPresence(op) && { value: parseValue(value, op, isTyped) }) };
  }
  if (draft.kind === 'date') {
    const { date, op, value, timezone } = draft;
    const rest = op === 'anniversary' ? (value === '' ? {} : { within: value }) : { value };
    return { date, op, ...rest, ...(timezone && { timezone }) };
  }
  const once = draft.times === 'gte' && draft.count === '1';
  const rest = { ...(!once && { count: { [draft.times]: Number(draft.count) } }), ...(draft.window && { in_last: draft.window }) };
  if (draft.kind === 'form') return { form: draft.of, activity: draft.activity, ...rest };
  if (draft.kind === 'campaign') return { campaign: draft.of, activity: draft.activity, ...rest };
  return { event: draft.of, ...filtersOf(draft.where), ...rest };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether everything is filled in, so that the rule can be sent to the API. */
export function isComplete(draft: RuleDraft): boolean {
  if (draft.kind === 'group') return draft.rules.length > 0 && draft.rules.every(isComplete);
  if (draft.kind === 'field') return draft.field !== 'attributes.' && hasOperand(draft);
  if (draft.kind === 'date') return draft.date !== 'attributes.' && (draft.op === 'anniversary' || draft.value !== '');
  if (draft.kind === 'segment') return draft.segment !== '';
  if (draft.kind === 'written') return typeof parsed(draft.text) === 'object';
  if (draft.kind === 'sequence') return isSequenceComplete(draft);
  return draft.of.trim() !== '' && /^\d+$/.test(draft.count) && areComplete(draft.where);
}

function hasOperand({ op, value }: FieldDraft): boolean {
  if (isPresence(op)) return true;
  return op === 'between' ? boundsOf(value).every((bound) => bound !== '') : value.trim() !== '';
}

/** The draft with one part replaced; undefined removes it. */
export function replaced(group: GroupDraft, id: string, change: RuleDraft | undefined): GroupDraft {
  return {
    ...group,
    rules: group.rules.flatMap((rule) => {
      if (rule.id === id) return change ? [change] : [];
      return [rule.kind === 'group' ? replaced(rule, id, change) : rule];
    }),
  };
}
