import { ContactStatus, Email, emailKey } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import { didYouMean } from '@mp/contracts/nearest';
import { fold } from '@mp/rules/text';
import { includeTotal, listQuery, type Order, parseSort } from '@mp/service-kit/list';
import type { Filter, IndexDescription } from 'mongodb';
import { z } from 'zod';
import { attributeKey } from './contact-body.ts';
import { attributePair, type ContactDocument } from './contact-document.ts';
import { searchWordsIndex } from './find-by-words.ts';
import { phone } from './phone.ts';
import { searchedWords } from './search-words.ts';

// `$gt: ''` rather than `$type`: MongoDB 4.0 does not see that an equality implies the latter, and would not use the index.
export const contactIndexes = {
  created_at: { key: { account_id: 1, created_at: 1, _id: 1 } },
  updated_at: { key: { account_id: 1, updated_at: 1, _id: 1 } },
  email: { key: { account_id: 1, email_key: 1 }, unique: true, partialFilterExpression: { email_key: { $gt: '' } } },
  external_id: { key: { account_id: 1, external_id: 1 }, unique: true, partialFilterExpression: { external_id: { $gt: '' } } },
  phone: { key: { account_id: 1, phone: 1 }, unique: true, partialFilterExpression: { phone: { $gt: '' } } },
  tag: { key: { account_id: 1, tag_keys: 1, created_at: 1, _id: 1 } },
  status: { key: { account_id: 1, status: 1, created_at: 1, _id: 1 } },
  attributes: { key: { account_id: 1, attribute_pairs: 1, created_at: 1, _id: 1 } },
  search_words: { key: searchWordsIndex },
  domain: { key: { account_id: 1, email_domain: 1, _id: 1 }, partialFilterExpression: { email_domain: { $gt: '' } } },
  merged: { key: { account_id: 1, merged_ids: 1 }, partialFilterExpression: { merged_ids: { $exists: true } } },
  id: { key: { account_id: 1, _id: 1 } },
} as const satisfies Record<string, IndexDescription>;

type IndexName = keyof typeof contactIndexes;
type TimeField = 'created_at' | 'updated_at';

/**
 * Every filter and sort of the list, with the index that serves it. Filters that find few contacts can be combined with
 * anything; the others only with a range on the time they are sorted by. Nothing else is supported, so no list scans a whole
 * account; `POST /v2/contacts/search` covers the rest. With `q`, which reads a bounded number of contacts, any filters can be combined.
 */
export const contactFilters: readonly { filter: string; finds: 'few' | 'many'; sorts: readonly TimeField[]; index: IndexName }[] = [
  { filter: 'id', finds: 'few', sorts: ['created_at', 'updated_at'], index: 'id' },
  { filter: 'email', finds: 'few', sorts: ['created_at', 'updated_at'], index: 'email' },
  { filter: 'external_id', finds: 'few', sorts: ['created_at', 'updated_at'], index: 'external_id' },
  { filter: 'phone', finds: 'few', sorts: ['created_at', 'updated_at'], index: 'phone' },
  { filter: 'tag', finds: 'many', sorts: ['created_at'], index: 'tag' },
  { filter: 'status', finds: 'many', sorts: ['created_at'], index: 'status' },
  { filter: 'attributes.<key>', finds: 'many', sorts: ['created_at'], index: 'attributes' },
  { filter: 'created_at', finds: 'many', sorts: ['created_at'], index: 'created_at' },
  { filter: 'updated_at', finds: 'many', sorts: ['updated_at'], index: 'updated_at' },
  // Results are in the order of the matching word, so there is no sort.
  { filter: 'q', finds: 'many', sorts: [], index: 'search_words' },
];

/** The maximum page size. */
const maxIds = 100;

const moment = Moment.optional();
const attributePrefix = 'attributes.';
const operators = ['gt', 'gte', 'lt', 'lte'] as const;
const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** Query parameters of the list. `attributes.<key>` names one attribute and the value it must have. */
export const ListContactsQuery = z
  .object({
    ...listQuery,
    include: includeTotal,
    sort: z.enum(sorts).optional().describe('Defaults to `-created_at`.'),
    q: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Finds contacts by the start of any word of their first name, last name, email, domain, phone number or external ID: `lov`, ' +
          '`ada@exa` and `example.com` find Ada Lovelace, ada@example.com. Case and accents are ignored (`zoe` finds Zoë). With several ' +
          'words, separated by spaces, each must be found in the contact, in any field and order. A phone number can be written with ' +
          'spaces and punctuation, and with or without its country code. The first 20 words of a field count, and the first 100 ' +
          'characters of a word.',
      ),
    'id[in]': z
      .string()
      .max(maxIds * 40)
      .transform((ids) => ids.split(','))
      .pipe(z.array(contactId.trim().min(1).max(64)).max(maxIds))
      .optional()
      .describe(`Up to ${maxIds} ids, separated by commas. Ids that do not exist are skipped.`),
    email: Email.optional(),
    external_id: z.string().max(255).trim().normalize('NFC').min(1).optional(),
    // A plus sign that was not percent-encoded arrives as a space.
    phone: z
      .string()
      .max(40)
      .transform((value) => value.replace(/^ (?=\d)/, '+'))
      .pipe(phone)
      .optional()
      .describe('With the country code.'),
    tag: z.string().max(64).trim().min(1).optional(),
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
  .catchall(z.string().min(1).max(1_000))
  .superRefine((query, context) => {
    const unknown = Object.keys(query).filter((name) => !knownParameters.has(name) && !isAttributeParameter(name));
    const [first] = unknown;
    if (first !== undefined) {
      const message = `Unknown parameter: ${unknown.join(', ')}.${didYouMean(first, [...knownParameters])}`;
      context.addIssue({ code: 'unrecognized_keys', keys: unknown, message, input: query });
    }
    const other = query.q === undefined || fewFilters.some((name) => query[name] !== undefined) ? [] : ['sort', 'include'];
    for (const name of other)
      if (query[name] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `q cannot be combined with ${name}: its results are in the order of the matching words, and not counted.`,
          params: { code: 'unsupported_combination' },
          input: query,
        });
  });
export type ListContactsQuery = z.output<typeof ListContactsQuery>;

const fewFilters = ['id[in]', 'email', 'external_id', 'phone'] as const;

const knownParameters = new Set<string>([
  ...Object.keys(listQuery),
  ...['include', 'sort', 'q', 'id[in]', 'email', 'external_id', 'phone', 'tag', 'status'],
  ...['created_at', 'updated_at'].flatMap((field) => operators.map((operator) => `${field}[${operator}]`)),
]);

/** Parameters of the list that are not filters. */
export const listParameters = ['limit', 'cursor', 'include', 'sort'] as const;

const isAttributeParameter = (name: string) =>
  name.startsWith(attributePrefix) && attributeKey.safeParse(name.slice(attributePrefix.length)).success;

type Where = Filter<ContactDocument>;
/** `words` if the contacts are found by the words of `q`, in their order; otherwise an index serves the filters and the order. */
export type ContactsFilter = { where: Where; words: string[] } | { where: Where; words?: never; order: Order; index: IndexName };

/** The MongoDB filter (without the account) for a query, and how to find it. Throws VALIDATION_ERROR if no index serves it. */
export function contactsFilter(query: ListContactsQuery): ContactsFilter {
  const conditions = [...conditionsOf(query)];
  const order = parseSort(query.sort ?? '-created_at');
  const where = allOf(conditions.map((one) => one.where));
  const unique = conditions.find(({ filter }) => entryOf(filter)?.finds === 'few');
  const words = query.q === undefined ? undefined : searchedWords(query.q);
  if (unique) return { where: words ? allOf([where, haveWords(words)]) : where, order, index: entryOf(unique.filter)?.index ?? 'id' };
  if (words) return { where, words };

  const grouping = conditions.filter(({ filter }) => !isTime(filter));
  const foreignRange = conditions.find(({ filter }) => isTime(filter) && filter !== order.field);
  if (grouping.length > 1) throw noIndex('more than one of the filters tag, status and attributes');
  if (foreignRange) throw noIndex(`a filter on ${foreignRange.filter} with a sort by ${order.field}`);
  const entry = entryOf(grouping[0]?.filter ?? order.field);
  if (!entry?.sorts.some((field) => field === order.field)) throw noIndex(`a sort by ${order.field} with a filter on ${entry?.filter}`);
  return { where, order, index: entry.index };
}

/** The MongoDB filter (without the account) for all filters of a query, in any combination: for jobs that read all contacts anyway. */
export function contactsWhere(query: ListContactsQuery): Where {
  const where = allOf([...conditionsOf(query)].map((one) => one.where));
  return query.q === undefined ? where : allOf([where, haveWords(searchedWords(query.q))]);
}

const allOf = (wheres: readonly Where[]): Where => (wheres.length > 1 ? { $and: [...wheres] } : (wheres[0] ?? {}));

/** Each word begins a word of the contact. Without words, none matches. */
const haveWords = (words: readonly string[]): Where =>
  words.length === 0
    ? { _id: { $in: [] } }
    : { $and: words.map((word) => ({ search_words: { $regex: `^${word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}` } })) };

const entryOf = (filter: string) => contactFilters.find((entry) => entry.filter === filter);
const isTime = (filter: string) => filter === 'created_at' || filter === 'updated_at';

/** The conditions of the query, each with the name of its filter. */
function* conditionsOf(query: ListContactsQuery): Generator<{ filter: string; where: Where }> {
  if (query['id[in]'] !== undefined) yield { filter: 'id', where: { _id: { $in: query['id[in]'] } } };
  if (query.email !== undefined) yield { filter: 'email', where: { email_key: emailKey(query.email) } };
  if (query.external_id !== undefined) yield { filter: 'external_id', where: { external_id: query.external_id } };
  if (query.phone !== undefined) yield { filter: 'phone', where: { phone: query.phone } };
  if (query.tag !== undefined) yield { filter: 'tag', where: { tag_keys: fold(query.tag) } };
  if (query.status !== undefined) yield { filter: 'status', where: { status: query.status } };
  for (const [name, value] of Object.entries(query)) {
    if (!isAttributeParameter(name)) continue;
    yield { filter: 'attributes.<key>', where: { attribute_pairs: attributePair(name.slice(attributePrefix.length), value) } };
  }
  for (const field of ['created_at', 'updated_at'] as const) {
    const bounds = operators.flatMap((operator) => {
      const value = query[`${field}[${operator}]`];
      return value === undefined ? [] : [[`$${operator}`, new Date(value)] as const];
    });
    if (bounds.length > 0) yield { filter: field, where: { [field]: Object.fromEntries(bounds) } };
  }
}

const noIndex = (what: string) =>
  invalid(
    '/query',
    'unsupported_combination',
    `The list does not support ${what}. See "Filters" of GET /v2/contacts in the reference, or use POST /v2/contacts/search.`,
  );
