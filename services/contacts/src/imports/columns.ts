import { invalid } from '@mp/contracts/errors';
import { z } from 'zod';
import { AttributeType } from '../attributes/attribute-type.ts';
import { attributeKey, identitiesTried, type MatchOn } from '../contacts/contact-body.ts';

const members = [
  'email',
  'phone',
  'external_id',
  'first_name',
  'last_name',
  'company',
  'job_title',
  'locale',
  'timezone',
  'source',
] as const;
const addressMembers = ['line1', 'line2', 'city', 'region', 'postal_code', 'country'].map((name) => `address.${name}`);
const consentMembers = ['email', 'sms'].flatMap((channel) => ['status', 'method', 'at'].map((name) => `consent.${channel}.${name}`));

/** What a contact's columns are called in files, in this order; attributes follow as `attributes.<key>:<type>`. */
export const contactColumns: readonly string[] = [...members, ...addressMembers, 'tags', ...consentMembers, 'consent.topics'];

/** What an export tells and an import passes over. */
export const readOnlyColumns: readonly string[] = ['id', 'status', 'revision', 'created_at', 'updated_at', 'last_seen_at'];

/** Common names of columns of other programs. */
const synonyms = new Map(
  Object.entries({
    'e-mail': 'email',
    email_address: 'email',
    'e-mail_address': 'email',
    mail: 'email',
    phone_number: 'phone',
    mobile: 'phone',
    firstname: 'first_name',
    given_name: 'first_name',
    lastname: 'last_name',
    surname: 'last_name',
    family_name: 'last_name',
    company_name: 'company',
    organization: 'company',
    title: 'job_title',
    city: 'address.city',
    country: 'address.country',
    region: 'address.region',
    state: 'address.region',
    zip: 'address.postal_code',
    zip_code: 'address.postal_code',
    postal_code: 'address.postal_code',
    street: 'address.line1',
    language: 'locale',
  }),
);

export type AttributeColumn = { key: string; type: AttributeType | undefined };

/** The attribute a target such as `attributes.seats` or `attributes.seats:number` means. */
export function attributeColumn(target: string): AttributeColumn | undefined {
  if (!target.startsWith('attributes.')) return undefined;
  const [key = '', type, ...rest] = target.slice('attributes.'.length).split(':');
  if (!attributeKey.safeParse(key).success || rest.length > 0) return undefined;
  if (type === undefined) return { key, type: undefined };
  const known = AttributeType.safeParse(type);
  return known.success ? { key, type: known.data } : undefined;
}

const isTarget = (name: string) => contactColumns.includes(name) || attributeColumn(name) !== undefined;

const Target = z
  .string()
  .max(200)
  .refine(isTarget, 'expected a member of a contact such as email or address.city, attributes.<key>, or null to leave the column out');

/** Which member each column fills; null leaves it out. */
export const ColumnMapping = z.record(z.string().max(500), Target.nullable());
export type ColumnMapping = z.infer<typeof ColumnMapping>;

const columnsMax = 500;

/**
 * What becomes of each column of a file: what the caller says, else the member it is named like, else nothing.
 * Throws VALIDATION_ERROR when rows could not find their contact, or two columns fill the same member.
 */
export function mapColumns(header: readonly string[], asked: ColumnMapping, matchOn: MatchOn): ColumnMapping {
  if (header.length > columnsMax)
    throw invalid('/body', 'too_many_columns', `A file has at most ${columnsMax} columns; this has ${header.length}.`);
  const doubled = header.find((name, index) => header.indexOf(name) !== index);
  if (doubled !== undefined) throw invalid('/body', 'doubled_column', `Two columns are called ${JSON.stringify(doubled)}.`);
  const unknown = Object.keys(asked).find((name) => !header.includes(name));
  if (unknown !== undefined)
    throw invalid(
      '/query/mapping',
      'missing_column',
      `The file has no column ${JSON.stringify(unknown)}; it has ${header.slice(0, 20).join(', ')}.`,
    );
  const mapping = Object.fromEntries(header.map((name) => [name, Object.hasOwn(asked, name) ? (asked[name] ?? null) : memberNamed(name)]));
  const targets = Object.values(mapping).filter((target) => target !== null);
  const twice = targets.find((target, index) => targets.indexOf(target) !== index);
  if (twice !== undefined) throw invalid('/query/mapping', 'doubled_target', `Two columns fill ${twice}; map one of them to null.`);
  const tried = identitiesTried(matchOn);
  if (!targets.some((target) => tried.some((name) => name === target)))
    throw invalid(
      '/body',
      'missing_column',
      `No column fills ${tried.join(' or ')}, which rows are matched on; name one in mapping. The columns are ${header.slice(0, 20).join(', ')}.`,
    );
  return mapping;
}

function memberNamed(column: string): string | null {
  if (isTarget(column)) return column;
  const name = column.trim().toLowerCase().replaceAll(/\s+/g, '_');
  return isTarget(name) ? name : (synonyms.get(name) ?? null);
}
