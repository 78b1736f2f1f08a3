/** What a column may fill, as the API calls it and as people do. */
export const members: Readonly<Record<string, string>> = {
  email: 'E-mail',
  phone: 'Phone',
  external_id: 'External id',
  first_name: 'First name',
  last_name: 'Last name',
  company: 'Company',
  job_title: 'Job title',
  locale: 'Language',
  timezone: 'Time zone',
  source: 'Source',
  tags: 'Tags',
  'address.line1': 'Street',
  'address.line2': 'Second line',
  'address.postal_code': 'Postal code',
  'address.city': 'City',
  'address.region': 'Region',
  'address.country': 'Country',
  'consent.email.status': 'Consent to e-mail',
  'consent.sms.status': 'Consent to SMS',
};

export const matches = { any: 'Any identity', email: 'E-mail', phone: 'Phone', external_id: 'External id' } as const;
export type Match = keyof typeof matches;

export const attributeTypes = {
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  date: 'Date',
  string_list: 'List',
} as const;
export type AttributeType = keyof typeof attributeTypes;

/** What somebody chose for one column: by its name, nothing, a member, or an attribute. */
export type ColumnChoice =
  | { fills: 'by name' }
  | { fills: 'nothing' }
  | { fills: 'member'; member: string }
  | { fills: 'attribute'; key: string; type: AttributeType };

export const byName: ColumnChoice = { fills: 'by name' };

/** A key for the attribute that a column may become. */
export const keyOf = (column: string) =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');

/** The `mapping` of the API: only what was chosen, the rest goes by its name. */
export function mappingOf(choices: Readonly<Record<string, ColumnChoice>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(choices).flatMap(([column, choice]): [string, string | null][] => {
      if (choice.fills === 'nothing') return [[column, null]];
      if (choice.fills === 'member') return [[column, choice.member]];
      return choice.fills === 'attribute' ? [[column, `attributes.${choice.key}:${choice.type}`]] : [];
    }),
  );
}

/** What a column became, in words. */
export function targetWords(target: string | null): string {
  if (target === null) return 'Left out';
  if (!target.startsWith('attributes.')) return members[target] ?? target;
  return `Attribute ${target.slice('attributes.'.length).split(':', 1)[0]}`;
}
