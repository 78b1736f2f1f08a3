import { didYouMean } from '@mp/contracts/nearest';
import { z } from 'zod';
import { spanOf, Timezone } from './calendar.ts';
import { comparisons, predicateOf } from './comparison.ts';
import { fieldReader } from './contact-profile.ts';
import { dateOps } from './date-leaf.ts';
import { contactFields, type Field, type FieldOp, fieldAliases, fieldNamed, fieldOps, fullFieldName, opsOfType } from './fields.ts';
import { nearOp } from './near-ops.ts';
import { type LeafEvaluator, no, yes } from './subject.ts';
import { foldEmail } from './text.ts';

const known = [...Object.keys(contactFields), ...Object.keys(fieldAliases)];
const fieldNames = known.join(', ');

const FieldName = z
  .string()
  .max(250)
  .refine((name) => fieldNamed(name) !== undefined, {
    error: ({ input }) =>
      `Unknown contact field.${nearField(input)} Use one of ${fieldNames}, consent.<channel>.topics.<topic>, or attributes.<key>.`,
  })
  .meta({
    description: `A contact field: ${fieldNames}, consent.email.topics.<topic>, consent.sms.topics.<topic>, or attributes.<key>.`,
    examples: ['address.city', 'attributes.plan'],
  });

const condition = {
  field: FieldName,
  timezone: Timezone.optional().describe('Time zone of dates without a time; UTC by default. For dates only.'),
};

export const FieldLeaf = z
  .discriminatedUnion(
    'op',
    [
      z.strictObject({ ...condition, ...comparisons.equality.shape }).meta({ title: 'Field equals' }),
      z.strictObject({ ...condition, ...comparisons.membership.shape }).meta({ title: 'Field in a list' }),
      z.strictObject({ ...condition, ...comparisons.text.shape }).meta({ title: 'Field contains text' }),
      z.strictObject({ ...condition, ...comparisons.order.shape }).meta({ title: 'Field greater or less' }),
      z.strictObject({ ...condition, ...comparisons.range.shape }).meta({ title: 'Field in a range' }),
      z.strictObject({ ...condition, ...comparisons.presence.shape }).meta({ title: 'Field present' }),
    ],
    { error: ({ input }) => unknownOp(input) },
  )
  .superRefine((leaf, context) => {
    const field = fieldNamed(leaf.field);
    if (!field) return;
    if (leaf.timezone !== undefined && field.type !== 'date' && field.type !== 'any')
      context.addIssue({
        code: 'custom',
        path: ['timezone'],
        message: `${field.name} is ${described[field.type]}; timezone applies to dates only.`,
      });
    if (!opsOfType[field.type].includes(leaf.op)) {
      context.addIssue({ code: 'custom', path: ['op'], message: opMisfit(leaf.op, field) });
    } else if ('value' in leaf && !fits(leaf.value, field)) {
      context.addIssue({
        code: 'custom',
        path: ['value'],
        message: `${field.name} is ${described[field.type]}; compare it with ${operandOf[field.type]}.`,
      });
    }
  });
export type FieldLeaf = z.infer<typeof FieldLeaf>;

export function fieldEvaluator(leaf: FieldLeaf): LeafEvaluator {
  const read = fieldReader(fieldNamed(leaf.field) ?? { name: leaf.field, type: 'any' });
  const holds = predicateOf(leaf, { zone: leaf.timezone ?? 'UTC', ...(fullFieldName(leaf.field) === 'email' && { fold: foldEmail }) });
  return {
    evaluate: ({ contact }) => (holds(read(contact)) ? yes : no),
    see: ({ contact }) => read(contact),
  };
}

const described = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date',
  string_list: 'a list of text',
  any: 'an attribute',
};

const operandOf = { ...described, date: 'an ISO 8601 date such as 2026-05-01', string_list: 'text', any: 'text, a number, true or false' };

function opMisfit(op: FieldOp, { name, type }: Field): string {
  const allowed = `${name} is ${described[type]}: use ${opsOfType[type].join(', ')}.`;
  if (type === 'string_list') return `"${op}" does not apply to a list; contains checks for an item. ${allowed}`;
  if (type === 'date') return `"${op}" does not apply to a date; {"date": "${name}", "op": …} has more ops for dates. ${allowed}`;
  return `"${op}" does not apply. ${allowed}`;
}

function fits(value: unknown, { type }: Field): boolean {
  if (Array.isArray(value)) return value.every((item) => fits(item, { name: '', type }));
  if (type === 'date') return typeof value === 'string' && spanOf(value, 'UTC') !== undefined;
  if (type === 'string' || type === 'string_list') return typeof value === 'string';
  return type === 'any' || typeof value === type;
}

/** ` Did you mean "first_name"?`, even for a name as templates write it, such as `contact.first_name`. */
function nearField(name: unknown): string {
  if (typeof name !== 'string') return '';
  const own = name.replace(/^contact\./, '');
  if (fieldNamed(own) !== undefined) return ` Did you mean "${own}"?`;
  const attribute = own.startsWith('attribute.') ? [own.replace('attribute.', 'attributes.')] : [];
  return didYouMean(own, [...known, ...attribute]);
}

function unknownOp(input: unknown): string {
  const given = new Map<string, unknown>(typeof input === 'object' && input !== null ? Object.entries(input) : []);
  const [name, op] = [given.get('field'), given.get('op')];
  const field = typeof name === 'string' ? fieldNamed(name) : undefined;
  const ops = field ? opsOfType[field.type] : fieldOps;
  const isOfDates = dateOps.some((one) => one === op) && (!field || field.type === 'date' || field.type === 'any');
  if (isOfDates)
    return `"${op}" is an op of dates: use {"date": ${JSON.stringify(name)}, "op": "${op}", …} instead of "field". The ops of "field" are ${ops.join(', ')}.`;
  return `op must be one of ${ops.join(', ')}.${nearOp(op, ops)}`;
}
