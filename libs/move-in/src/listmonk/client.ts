import type { z } from 'zod';
import type { Source } from '../source.ts';
import { Bounces, Lists, Subscribers, Templates } from './types.ts';

const perPage = 500;

type Paged<Item> = z.ZodType<{ data: { results?: Item[] | null | undefined; total: number } }>;

/** The number of a page, which begins with 1, and how many items there were when the one before it was read. */
export type Start = { page: number; total: number };
type Page<Item> = { items: Item[]; next: number | null; total: number };

/**
 * The order by ID keeps rows that are added meanwhile at the end. Rows that were deleted since the page before have moved the others
 * forward, so as many pages are read again.
 */
export function createClient(source: Source) {
  async function page<Item>(path: string, shape: Paged<Item>, { page: number, total: before }: Start): Promise<Page<Item>> {
    const address = (at: number) => `${path}?page=${at}&per_page=${perPage}&order_by=id&order=asc`;
    const { results, total } = (await source.page(address(number), shape)).data;
    const items = results ?? [];
    const moved = Math.ceil(Math.max(0, before - total) / perPage);
    for (let again = Math.max(1, number - moved); again < number; again += 1)
      items.unshift(...((await source.get(address(again), shape)).data.results ?? []));
    return { items, next: items.length === 0 || number * perPage >= total ? null : number + 1, total };
  }

  return {
    lists: (start: Start) => page('/api/lists', Lists, start),
    subscribers: (start: Start) => page('/api/subscribers', Subscribers, start),
    bounces: (start: Start) => page('/api/bounces', Bounces, start),
    templates: async () => (await source.get('/api/templates', Templates)).data ?? [],
  };
}
