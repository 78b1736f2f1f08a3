import { ContactStatus, Email, emailKey } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { includeTotal, listQuery, type Order, parseSort } from '@mp/service-kit/list';
import type { IndexDescription } from 'mongodb';
import { z } from 'zod';
import { attributeKey } from './contact-body.ts';

const moment = z.iso.datetime({ offset: true }).optional();
const attributePrefix = 'attributes.';

/** Query parameters of the list. `attributes.<key>` names one attribute and the value it must have. */
export const ListContactsQuery = z
  .object({
    ...listQuery,
    include: includeTotal,
    sort: z.enum(['created_at', '-created_at', 'updated_at', '-updated_at']).default('-created_at'),
    email: Email.optional(),
    external_id: z.string().max(255).optional(),
    phone: z.string().max(40).optional().describe('E.164'),
    tag: z.string().max(64).optional(),
    status: ContactStatus.optional(),
    'created_at[gt]': moment,
    'created_at[gte]': moment,
    'created_at[lt]': moment,
    'created_at[lte]': moment,
    'updated_at[gt]': moment,
    'updated_at[gte]': moment,
    'updated_at[lt]': moment,
    'updated_at[lte]': moment,
  })
  .catchall(z.string().max(1_000))
  .superRefine((query, context) => {
    const unknown = Object.keys(query).filter((name) => !knownParameters.has(name) && !isAttributeParameter(name));
    if (unknown.length > 0)
      context.addIssue({ code: 'unrecognized_keys', keys: unknown, message: `There is no parameter ${unknown.join(', ')}.`, input: query });
  });
export type ListContactsQuery = z.output<typeof ListContactsQuery>;

const knownParameters = new Set<string>([
  ...Object.keys(listQuery),
  ...['include', 'sort', 'email', 'external_id', 'phone', 'tag', 'status'],
  ...['created_at', 'updated_at'].flatMap((field) => ['gt', 'gte', 'lt', 'lte'].map((operator) => `${field}[${operator}]`)),
]);

const isAttributeParameter = (name: string) =>
  name.startsWith(attributePrefix) && attributeKey.safeParse(name.slice(attributePrefix.length)).success;

/** How one attribute value is indexed: one index serves every key. */
export const attributePair = (key: string, value: unknown) => `${key}=${String(value)}`;

/**
 * Which filters the list has, and the index that answers each. One of `unique` finds at most one contact and goes with
 * anything; one of `grouping` goes with `created_at` ranges and sort; ranges go with the sort of their own field.
 * Another combination is refused: no list scans a tenant. `POST /v2/contacts/search` is for the rest.
 */
export const contactIndexes = {
  created_at: { key: { account_id: 1, created_at: 1, _id: 1 } },
  updated_at: { key: { account_id: 1, updated_at: 1, _id: 1 } },
  email: { key: { account_id: 1, email_key: 1 }, unique: true, partialFilterExpression: { email_key: { $type: 'string' } } },
  external_id: { key: { account_id: 1, external_id: 1 }, unique: true, partialFilterExpression: { external_id: { $type: 'string' } } },
  phone: { key: { account_id: 1, phone: 1 }, unique: true, partialFilterExpression: { phone: { $type: 'string' } } },
  tag: { key: { account_id: 1, tags: 1, created_at: 1, _id: 1 } },
  status: { key: { account_id: 1, status: 1, created_at: 1, _id: 1 } },
  attributes: { key: { account_id: 1, attribute_pairs: 1, created_at: 1, _id: 1 } },
  id: { key: { account_id: 1, _id: 1 } },
} as const satisfies Record<string, IndexDescription>;

export type ContactsFilter = { where: Record<string, unknown>; order: Order };

/** The MongoDB filter (without the account) and order for a query. Throws VALIDATION_ERROR for a combination without an index. */
export function contactsFilter(query: ListContactsQuery): ContactsFilter {
  const unique = {
    ...(query.email === undefined ? {} : { email_key: emailKey(query.email) }),
    ...(query.external_id === undefined ? {} : { external_id: query.external_id }),
    ...(query.phone === undefined ? {} : { phone: query.phone }),
  };
  const attributeFilters = Object.entries(query).filter(([name]) => isAttributeParameter(name));
  const grouping = {
    ...(query.tag === undefined ? {} : { tags: query.tag }),
    ...(query.status === undefined ? {} : { status: query.status }),
    ...(attributeFilters.length === 0
      ? {}
      : { attribute_pairs: { $all: attributeFilters.map(([name, value]) => attributePair(name.slice(attributePrefix.length), value)) } }),
  };
  const ranges = { ...range(query, 'created_at'), ...range(query, 'updated_at') };
  const order = parseSort(query.sort);

  if (Object.keys(unique).length === 0) {
    const groups = Object.keys(grouping).length;
    const foreignRange = Object.keys(ranges).find((field) => field !== order.field);
    if (groups > 1 || attributeFilters.length > 1) throw noIndex('combines several of tag, status and attributes');
    if (groups === 1 && order.field !== 'created_at') throw noIndex('sorts by updated_at together with tag, status or attributes');
    if (foreignRange) throw noIndex(`filters by ${foreignRange} but sorts by ${order.field}`);
  }
  return { where: { ...unique, ...grouping, ...ranges }, order };
}

function range(query: ListContactsQuery, field: 'created_at' | 'updated_at') {
  const bounds = (['gt', 'gte', 'lt', 'lte'] as const).flatMap((operator) => {
    const value = query[`${field}[${operator}]`];
    return value === undefined ? [] : [[`$${operator}`, new Date(value)] as const];
  });
  return bounds.length === 0 ? {} : { [field]: Object.fromEntries(bounds) };
}

const noIndex = (what: string) =>
  invalid(
    '/query',
    'unsupported_combination',
    `This list ${what}, which no index answers; see "Filters" of GET /v2/contacts in the reference.`,
  );
