import { type contactColumns, fieldOfColumn, ownColumns } from '@mp/contracts/import-columns';

type ContactField = (typeof contactColumns)[number];

/** The fields a column can fill, and what people call them. */
export const fieldNames: Readonly<Record<ContactField, string>> = {
  email: 'Email',
  phone: 'Phone',
  external_id: 'External ID',
  first_name: 'First name',
  last_name: 'Last name',
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

/** What one column fills. An attribute without a type has the one the account knows it by. */
export type ColumnChoice =
  | { fills: 'nothing' }
  | { fills: 'field'; field: ContactField }
  | { fills: 'attribute'; key: string; type: AttributeType | undefined };

/** A choice for each column by its name; a column is missing while nobody has decided what it fills. */
export type ColumnChoices = Readonly<Record<string, ColumnChoice>>;

export const isField = (name: string): name is ContactField => Object.hasOwn(fieldNames, name);
const isAttributeType = (name: string): name is AttributeType => Object.hasOwn(attributeTypes, name);

/** The key of the attribute that a column with this name becomes. */
export const keyOf = (column: string) =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');

/** As the API reads such a name. */
function attributeNamed(name: string): ColumnChoice | undefined {
  const [, key, type] = /^attributes\.([a-z0-9][\w-]{0,63})(?::(.+))?$/i.exec(name) ?? [];
  if (key === undefined || (type !== undefined && !isAttributeType(type))) return undefined;
  return { fills: 'attribute', key, type };
}

const targetByName = (column: string) => fieldOfColumn(column, (one) => attributeNamed(one) !== undefined);

/** What a column fills by its name alone; undefined when the name says nothing, so that somebody has to decide. */
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

/** The columns that nobody has decided about. */
export const undecidedIn = (columns: readonly string[], choices: ColumnChoices) => columns.filter((column) => !choices[column]);

/**
 * The `mapping` of the API: the columns that fill something else than their name says. The API reads the other names by the
 * same rule. The mapping is part of an address, which has no room for every column of a wide file; and columns without a
 * name can only be left to it, as there may be several.
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
  return `attributes.${choice.key}${choice.type === undefined ? '' : `:${choice.type}`}`;
}

/** What a column became, in words. */
export function targetWords(target: string | null): string {
  if (target === null) return 'Not imported';
  if (isField(target)) return fieldNames[target];
  return target.startsWith('attributes.') ? `Attribute ${target.slice('attributes.'.length).split(':', 1)[0]}` : target;
}
