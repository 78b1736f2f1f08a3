import type { z } from 'zod';
import type { Source } from '../source.ts';
import { Bounces, Lists, Subscribers, Templates } from './types.ts';

const perPage = 500;

type Paged<Item> = z.ZodType<{ data: { results?: Item[] | null | undefined; total: number } }>;

/** Pages begin with 1. The order by ID keeps rows that are added meanwhile at the end. */
export function createClient(source: Source) {
  async function page<Item>(path: string, shape: Paged<Item>, number: number) {
    const { data } = await source.page(`${path}?page=${number}&per_page=${perPage}&order_by=id&order=asc`, shape);
    const items = data.results ?? [];
    return { items, next: items.length === 0 || number * perPage >= data.total ? null : number + 1 };
  }

  return {
    lists: (number: number) => page('/api/lists', Lists, number),
    subscribers: (number: number) => page('/api/subscribers', Subscribers, number),
    bounces: (number: number) => page('/api/bounces', Bounces, number),
    templates: async () => (await source.get('/api/templates', Templates)).data ?? [],
  };
}
