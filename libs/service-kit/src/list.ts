import type { Pagination } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Collection, type Document, type Filter, MongoServerError, type Sort, type WithId } from 'mongodb';
import { z } from 'zod';
import type { Cursors, Position } from './cursor.ts';

/** Parses decimal digits only, not `1e2`, `0x10` or ` 5`. */
const wholeNumber = (text: unknown) => (typeof text === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text);

/** The query parameters of every list. */
export const listQuery = {
  limit: z
    .preprocess(
      wholeNumber,
      z.number('expected a whole number, such as 50').int().min(1, 'expected at least 1').max(100, 'expected at most 100').default(50),
    )
    .describe('Maximum number of items per page.'),
  cursor: z.string().max(1_024).optional().describe('`next_cursor` of the previous page.'),
};

/** A list that is short enough to be always one page. */
export const wholeList = <T>(items: T[], limit = items.length): { items: T[]; pagination: Pagination } => ({
  items,
  pagination: { limit, has_more: false, next_cursor: null },
});

/** For routes without query parameters: any parameter is rejected by name. */
export const noQuery = z.strictObject({});

/** Opt-in, because the cost of counting grows with the list. */
export const includeTotal = z.literal('total_count').optional().describe('`total_count`: also count the items of the whole list.');

export type Order = { field: string; direction: 1 | -1 };

/** Parses a sort parameter; `-created_at` means descending. */
export const parseSort = (sort: string): Order =>
  sort.startsWith('-') ? { field: sort.slice(1), direction: -1 } : { field: sort, direction: 1 };

type PageRequest<T extends Document> = {
  collection: Collection<T>;
  /** Must begin with the account. */
  filter: Filter<T>;
  order: Order;
  limit: number;
  cursor: string | undefined;
  cursors: Cursors;
  /** What the cursor is bound to: account, list, filters and sort order. */
  boundTo: unknown;
  total?: boolean;
  /** Name of the index to use; MongoDB chooses one if omitted. */
  hint?: string;
  /** Rejects the request when the list takes longer: for filters that no index serves entirely. */
  maxMs?: number;
};

const maxTimeExpired = 50;

const tooBroad = () =>
  invalid('/query', 'too_broad', 'These filters match too few of too many items; add or shorten a time range, or use fewer filters.');

/** One page by keyset pagination: page 1,000 costs the same as page 1. Ties are ordered by id. */
export async function findPage<T extends Document & { _id: string }>({
  collection,
  filter,
  order,
  limit,
  cursor,
  cursors,
  boundTo,
  total = false,
  hint,
  maxMs,
}: PageRequest<T>) {
  const from = cursor === undefined ? undefined : cursors.decode(boundTo, cursor);
  // Each branch repeats the whole filter, so that it is one range of the index and no row before the position is read.
  const where = (from ? { $or: after(order, from).map((part) => ({ $and: [filter, part] })) } : filter) as Filter<T>;
  const sort: Sort = order.field === '_id' ? { _id: order.direction } : { [order.field]: order.direction, _id: order.direction };
  const hinted = { ...(hint !== undefined && { hint }), ...(maxMs !== undefined && { maxTimeMS: maxMs }) };
  const [rows, totalCount] = await Promise.all([
    collection
      .find(where, hinted)
      .sort(sort)
      .limit(limit + 1)
      .toArray(),
    total ? collection.countDocuments(filter, hinted) : undefined,
  ]).catch((error: unknown) => {
    throw error instanceof MongoServerError && error.code === maxTimeExpired ? tooBroad() : error;
  });
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  const pagination: Pagination = {
    limit,
    has_more: last !== undefined,
    next_cursor: last ? cursors.encode(boundTo, positionOf(order, last)) : null,
    ...(totalCount === undefined ? {} : { total_count: totalCount }),
  };
  return { items, pagination };
}

function positionOf<T extends Document>(order: Order, row: WithId<T>): Position {
  const value: unknown = row[order.field];
  if (value instanceof Date) return { value: value.getTime(), id: String(row._id) };
  return { value: typeof value === 'string' || typeof value === 'number' ? value : null, id: String(row._id) };
}

/** A number for a field `…_at` or `time` is a date. Sort values are never null: lists sort by fields that every row has. */
function after({ field, direction }: Order, { value, id }: Position): Document[] {
  const beyond = direction === 1 ? '$gt' : '$lt';
  if (field === '_id') return [{ _id: { [beyond]: id } }];
  const at = typeof value === 'number' && /(^|_)at$|^time$/.test(field) ? new Date(value) : value;
  return [{ [field]: at, _id: { [beyond]: id } }, { [field]: { [beyond]: at } }];
}

/** Adds a Link header (RFC 8288) to the next page, in addition to the cursor in the body. */
export function addNextLink(request: FastifyRequest, reply: FastifyReply, { next_cursor }: Pagination) {
  if (next_cursor === null) return;
  const [path = '', query = ''] = request.url.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', next_cursor);
  reply.header('link', `<${path}?${parameters}>; rel="next"`);
}
