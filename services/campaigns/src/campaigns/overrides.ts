import { type Campaign, type TemplateField, templateFields } from './campaign.ts';

type Fields = { [Field in TemplateField]?: string | null | undefined } & {
  template_id?: string | null | undefined;
  overrides?: readonly TemplateField[] | undefined;
};

/** In one order, and each once. */
const listed = (fields: readonly TemplateField[]) => templateFields.filter((field) => fields.includes(field));

/** The fields that a new campaign sets itself: those that the request lists, or else those that it has. */
export const firstOverrides = (fields: Fields): TemplateField[] =>
  fields.template_id ? listed(fields.overrides ?? templateFields.filter((field) => fields[field])) : [];

/**
 * The fields that the changed campaign sets itself: those that the request lists, or else those that it had and those that the request
 * changes. A campaign that gets its first template keeps the fields that it had.
 */
export function nextOverrides(before: Campaign, fields: Fields): TemplateField[] {
  const template_id = fields.template_id === undefined ? before.template_id : fields.template_id;
  if (template_id === null) return [];
  const wanted = fields.overrides && listed(fields.overrides);
  if (wanted && wanted.join() !== before.overrides.join()) return wanted;
  const isKept = (field: TemplateField) => before.overrides.includes(field) || (before.template_id === null && before[field]);
  const isChanged = (field: TemplateField) => fields[field] !== undefined && (fields[field] || null) !== (before[field] || null);
  return templateFields.filter((field) => isKept(field) || isChanged(field));
}
