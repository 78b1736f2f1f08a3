import { fieldLabel } from '../contact-fields/field-labels.ts';
import type { NameOf } from '../names/names.ts';
import { durationLabel } from '../time/duration.ts';

type Difference = { field: string; theirs: string; yours: string };

const names: Readonly<Record<string, string>> = {
  html: 'HTML',
  mjml: 'MJML',
  url: 'URL',
  design: 'Email',
  rule: 'Conditions',
  when: 'Conditions',
  reply_to: 'Reply-to',
  ab_test: 'A/B test',
  template_id: 'Template',
  overrides: 'Not taken from the template',
  segment_id: 'Segment',
  workflow_id: 'Workflow',
  campaign_id: 'Campaign',
  throttle_per_minute: 'Emails per minute',
  holdout_percent: 'Hold-out group (%)',
  window_days: 'Days after the last click',
  origins: 'Website addresses',
  sample_percent: 'Test on (%)',
  weight: 'Share (%)',
};

/** The values of a form that are others in another version, each with the words that name it, as text that people can compare. */
export const differencesOf = (theirs: object, yours: object, named: NameOf = (id) => id): Difference[] => below([], theirs, yours, named);

function below(path: readonly string[], theirs: unknown, yours: unknown, named: NameOf): Difference[] {
  const [one, other] = [partsOf(theirs), partsOf(yours)];
  if (one && other && one.size + other.size > 0)
    return [...new Set([...one.keys(), ...other.keys()])].flatMap((part) =>
      below([...path, nameOf(part)], one.get(part), other.get(part), named),
    );
  if (isObject(theirs) && isObject(yours) && isEmail(theirs) && isEmail(yours)) return inEmail(path.join(': '), theirs, yours);
  const difference = { field: path.join(': '), theirs: textOf(theirs, named), yours: textOf(yours, named) };
  return difference.theirs === difference.yours ? [] : [difference];
}

/** The parts of a value by their names; none if it is missing, and undefined if it is compared as a whole. */
function partsOf(value: unknown): Map<string, unknown> | undefined {
  if (isMissing(value)) return new Map();
  if (Array.isArray(value)) return value.length === 0 || value.some(isObject) ? new Map(value.map(itemOf)) : undefined;
  return isObject(value) && !isEmail(value) ? new Map(Object.entries(value)) : undefined;
}

/** Emails are compared by their text, and by the rest only as far as that it differs. */
function inEmail(field: string, one: object, other: object): Difference[] {
  const [theirs, yours] = [emailText(one), emailText(other)];
  if (theirs !== yours) return [{ field, theirs, yours }];
  const rest = 'The same text, in another layout or style';
  return JSON.stringify(one) === JSON.stringify(other) ? [] : [{ field, theirs: rest, yours: rest }];
}

function nameOf(field: string): string {
  const word = names[field] ?? fieldLabel(field);
  return word === field ? field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ') : word;
}

/** An item of a list by its ID, or else by its place. */
function itemOf(item: unknown, at: number): [string, unknown] {
  if (!isObject(item) || !('id' in item) || typeof item.id !== 'string') return [String(at + 1), item];
  const { id, ...rest } = item;
  return [id, rest];
}

function textOf(value: unknown, named: NameOf): string {
  if (isMissing(value)) return '–';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map((item) => textOf(item, named)).join(', ') || '–';
  return isObject(value) ? emailText(value) : named(durationLabel(String(value)));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isMissing = (value: unknown) => value === null || value === undefined || value === '';

/** An email made of blocks. */
const isEmail = (value: object) => 'doc' in value;

const emailText = (email: object): string => ('doc' in email ? wordsOf(email.doc).join('\n') : '') || '–';

/** The attributes of blocks that people read. */
const readable = ['label', 'url', 'href', 'src', 'alt'];

/** The text of a part of an email, in order. */
const wordsOf = (part: unknown): string[] =>
  !isObject(part)
    ? []
    : Object.entries(part).flatMap(([name, value]) =>
        typeof value === 'string' ? (name === 'text' || readable.includes(name) ? [value] : []) : wordsOf(value),
      );
