import type { Pagination } from '@mp/contracts/envelope';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection, Document, Filter, Sort, WithId } from 'mongodb';
import { z } from 'zod';
import type { Cursors, Position } from './cursor.ts';

/** A number as it is written in a URL: decimal digits, and neither `1e2` nor `0x10` nor ` 5`. */
const wholeNumber = (text: unknown) => (typeof text === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text);

/** Query parameters that every list takes. */
export const listQuery = {
  limit: z
    .preprocess(wholeNumber, z.number('expected a whole number, such as 50').int().min(1).max(100))
    .default(50)
    .describe('Items per page.'),
  cursor: z.string().max(1_024).optional().describe('`next_cursor` of the page before.'),
};

/** For routes that take no query parameters: each one is refused by name. */
export const noQuery = z.strictObject({});

/** Opt-in, because counting costs what the list holds. */
export const includeTotal = z.literal('total_count').optional().describe('`total_count`: also count all items.');

export type Order = { field: string; direction: 1 | -1 };

/** `-created_at` → newest first. */
export const parseSort = (sort: string): Order =>
  sort.startsWith('-') ? { field: sort.slice(1), direction: -1 } : { field: sort, direction: 1 };

type PageRequest<T extends Document> = {
  collection: Collection<T>;
  /** Begins with the account. */
  filter: Filter<T>;
  order: Order;
  limit: number;
  cursor: string | undefined;
  cursors: Cursors;
  /** What the cursor is bound to: account, list, filters, sort. */
  boundTo: unknown;
  total?: boolean;
  /** Name of the index that answers it; without one MongoDB chooses. */
  hint?: string;
};

/** One page by keyset: no skip, so page 1,000 costs what page 1 costs. The order ends in the id. */
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
}: PageRequest<T>) {
  const from = cursor === undefined ? undefined : cursors.decode(boundTo, cursor);
  // Each part has the whole filter, so that each is one stretch of the index: rows before the position are not looked at.
  const where = (from ? { $or: after(order, from).map((part) => ({ $and: [filter, part] })) } : filter) as Filter<T>;
  const sort: Sort = order.field === '_id' ? { _id: order.direction } : { [order.field]: order.direction, _id: order.direction };
  const hinted = hint === undefined ? {} : { hint };
  const [rows, totalCount] = await Promise.all([
    collection
      .find(where, hinted)
      .sort(sort)
      .limit(limit + 1)
      .toArray(),
    total ? collection.countDocuments(filter, hinted) : undefined,
  ]);
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

/** Sort values are dates where they travel as numbers, and never null: lists sort by fields that every row has. */
function after({ field, direction }: Order, { value, id }: Position): Document[] {
  const beyond = direction === 1 ? '$gt' : '$lt';
  if (field === '_id') return [{ _id: { [beyond]: id } }];
  const at = typeof value === 'number' && /(^|_)at$/.test(field) ? new Date(value) : value;
  return [{ [field]: at, _id: { [beyond]: id } }, { [field]: { [beyond]: at } }];
}

/** The next page as a Link header (RFC 8288) beside the cursor in the body. */
export function linkNext(request: FastifyRequest, reply: FastifyReply, { next_cursor }: Pagination) {
  if (next_cursor === null) return;
  const [path = '', query = ''] = request.url.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', next_cursor);
  reply.header('link', `<${path}?${parameters}>; rel="next"`);
}
