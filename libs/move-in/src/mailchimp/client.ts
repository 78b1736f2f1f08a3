import type { z } from 'zod';
import type { Source } from '../source.ts';
import { AbuseReports, CampaignContent, Campaigns, Lists, Members, MergeFields, Templates } from './types.ts';

/** The maximum of the API. */
const count = 1_000;

type Page<Item> = { items: Item[]; next: number | null; total: number };
/** Where a page begins, and how many items there were when the one before it was read. */
export type Start = { offset: number; total: number };

type Listed<Shape extends z.ZodType, Item> = { path: string; shape: Shape; start: Start; items: (page: z.output<Shape>) => Item[] };

/**
 * One page by `offset` and `count`. The end is where the items end, because the total changes while it is read. Items that were deleted
 * since the page before have moved the others forward, so the page begins so many earlier.
 */
async function pageAt<Shape extends z.ZodType<{ total_items: number }>, Item>(
  source: Source,
  { path, shape, start: { offset, total }, items }: Listed<Shape, Item>,
): Promise<Page<Item>> {
  const address = (at: number) => `${path}${path.includes('?') ? '&' : '?'}count=${count}&offset=${at}`;
  const first = await source.page(address(offset), shape);
  const deleted = offset > 0 ? total - first.total_items : 0;
  const from = deleted > 0 ? Math.max(0, offset - deleted) : offset;
  const page = deleted > 0 ? await source.get(address(from), shape) : first;
  const found = items(page);
  const next = from + found.length;
  return { items: found, next: found.length === 0 || next >= page.total_items ? null : next, total: page.total_items };
}

async function all<Item>(read: (start: Start) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let start: Start | null = { offset: 0, total: 0 }; start !== null; ) {
    const page: Page<Item> = await read(start);
    items.push(...page.items);
    start = page.next === null ? null : { offset: page.next, total: page.total };
  }
  return items;
}

const encoded = encodeURIComponent;

export const createClient = (source: Source) => ({
  lists: () => all((start) => pageAt(source, { path: '/3.0/lists', shape: Lists, start, items: ({ lists }) => lists })),
  mergeFields: (list: string) =>
    all((start) =>
      pageAt(source, { path: `/3.0/lists/${encoded(list)}/merge-fields`, shape: MergeFields, start, items: (page) => page.merge_fields }),
    ),
  members: (list: string, start: Start) =>
    pageAt(source, { path: `/3.0/lists/${encoded(list)}/members`, shape: Members, start, items: ({ members }) => members }),
  abuseReports: (list: string, start: Start) =>
    pageAt(source, {
      ...{ path: `/3.0/lists/${encoded(list)}/abuse-reports`, shape: AbuseReports, start },
      items: (page) => page.abuse_reports,
    }),
  /** Only those that the account made itself. */
  templates: () =>
    all((start) => pageAt(source, { path: '/3.0/templates?type=user', shape: Templates, start, items: ({ templates }) => templates })),
  /** Newest first. */
  campaigns: () =>
    all((start) =>
      pageAt(source, {
        path: '/3.0/campaigns?sort_field=create_time&sort_dir=DESC&fields=campaigns.id,campaigns.settings.template_id,total_items',
        shape: Campaigns,
        start,
        items: ({ campaigns }) => campaigns,
      }),
    ),
  campaignHtml: async (id: string) => (await source.get(`/3.0/campaigns/${encoded(id)}/content`, CampaignContent)).html ?? '',
});
