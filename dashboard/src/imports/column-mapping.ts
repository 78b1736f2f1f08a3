import { fieldOfColumn } from '@mp/contracts/column-synonyms';
import { type DateOrder, dateOrders, type fullNameTarget } from '@mp/contracts/import-cells';
import { type contactColumns, ownColumns } from '@mp/contracts/import-columns';

/** A field of contacts, or the first and the last name in one column. */
export type ContactField = (typeof contactColumns)[number] | typeof fullNameTarget;

/** The fields that a column can be imported to, with their labels. */
export const fieldNames: Readonly<Record<ContactField, string>> = {
  email: 'Email',
  phone: 'Phone',
  external_id: 'External ID',
  first_name: 'First name',
  last_name: 'Last name',
  full_name: 'Full name: first and last',
  company: 'Company',
  job_title: 'Job title',
  locale: 'Language',
  timezone: 'Time zone',
  source: 'Source',
  tags: 'Tags',
  'address.line1': 'Street',
  'address.line2': 'Address line 2',
  'address.postal_code': 'Postal code',
  'address.city': 'City',
  'address.region': 'Region',
  'address.country': 'Country',
  'consent.email.status': 'Email consent',
  'consent.email.method': 'Email consent method',
  'consent.email.at': 'Email consent date',
  'consent.sms.status': 'SMS consent',
  'consent.sms.method': 'SMS consent method',
  'consent.sms.at': 'SMS consent date',
  'consent.topics': 'Topics',
};

export const matches = {
  email: 'Email, then external ID, then phone',
  external_id: 'External ID',
  phone: 'Phone',
} as const;
export type Match = keyof typeof matches;

export const attributeTypes = {
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  date: 'Date',
  string_list: 'List',
} as const;
export type AttributeType = keyof typeof attributeTypes;

/** What a column is imported to. An attribute without a type keeps the type it has in the account. `order` is that of its dates. */
export type ColumnChoice =
  | { fills: 'nothing' }
  | { fills: 'field'; field: ContactField }
  | { fills: 'attribute'; key: string; type: AttributeType | undefined; order?: DateOrder };

/** The choices by column name. Undecided columns are missing. */
export type ColumnChoices = Readonly<Record<string, ColumnChoice>>;

export const isField = (name: string): name is ContactField => Object.hasOwn(fieldNames, name);
const isAttributeType = (name: string): name is AttributeType => Object.hasOwn(attributeTypes, name);

/** The attribute key for a column name. */
export const keyOf = (column: string) =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');

/** Parses `attributes.<key>[:<type>]` as the API does. */
function attributeNamed(name: string): ColumnChoice | undefined {
  const [, key, type, written] = /^attributes\.([a-z0-9][\w-]{0,63})(?::([^:]+)(?::(.+))?)?$/i.exec(name) ?? [];
  if (key === undefined || (type !== undefined && !isAttributeType(type))) return undefined;
  if (written === undefined) return { fills: 'attribute', key, type };
  const order = type === 'date' ? dateOrders.find((one) => one === written) : undefined;
  return order && { fills: 'attribute', key, type, order };
}

const targetByName = (column: string) => fieldOfColumn(column, (one) => attributeNamed(one) !== undefined);

/** The choice for a column by its name; undefined if the name matches no field and the user has to choose. */
function choiceByName(column: string, isOwn: boolean): ColumnChoice | undefined {
  const name = targetByName(column);
  if (name !== null) return isField(name) ? { fills: 'field', field: name } : attributeNamed(name);
  return column === '' || isOwn ? { fills: 'nothing' } : undefined;
}

export function choicesByName(columns: readonly string[]): ColumnChoices {
  const own = ownColumns(columns);
  return Object.fromEntries(
    columns.flatMap((column, index) => {
      const choice = choiceByName(column, index < own);
      return choice ? [[column, choice]] : [];
    }),
  );
}

/** The columns without a choice. */
export const undecidedIn = (columns: readonly string[], choices: ColumnChoices) => columns.filter((column) => !choices[column]);

/**
 * The API's `mapping` parameter: only the columns whose choice differs from their name. The API matches the others by name,
 * with the same rule. The mapping is part of the URL, which is too short for every column of a wide file, and unnamed
 * columns cannot be mapped, because there may be several.
 */
export const mappingOf = (choices: ColumnChoices): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(choices).flatMap(([column, choice]) => {
      const target = targetOf(choice);
      return target === targetByName(column) ? [] : [[column, target]];
    }),
  );

function targetOf(choice: ColumnChoice): string | null {
  if (choice.fills === 'nothing') return null;
  if (choice.fills === 'field') return choice.field;
  const { key, type, order } = choice;
  return [`attributes.${key}`, ...(type === undefined ? [] : [type]), ...(type === 'date' && order ? [order] : [])].join(':');
}

/** The label of a column's target. */
export function targetLabel(target: string | null): string {
  if (target === null) return 'Not imported';
  if (isField(target)) return fieldNames[target];
  return target.startsWith('attributes.') ? `Attribute ${target.slice('attributes.'.length).split(':', 1)[0]}` : target;
}
