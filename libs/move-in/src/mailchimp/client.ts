import type { z } from 'zod';
import type { Source } from '../source.ts';
import { AbuseReports, CampaignContent, Campaigns, Lists, Members, MergeFields, Templates } from './types.ts';

/** The maximum of the API. */
const count = 1_000;

type Page<Item> = { items: Item[]; next: number | null };

/** One page by `offset` and `count`. The end is where the items end, because the total changes while it is read. */
async function pageAt<Shape extends z.ZodType<{ total_items: number }>, Item>(
  source: Source,
  { path, shape, offset, items }: { path: string; shape: Shape; offset: number; items: (page: z.output<Shape>) => Item[] },
): Promise<Page<Item>> {
  const joined = path.includes('?') ? '&' : '?';
  const page = await source.page(`${path}${joined}count=${count}&offset=${offset}`, shape);
  const found = items(page);
  const next = offset + found.length;
  return { items: found, next: found.length === 0 || next >= page.total_items ? null : next };
}

async function all<Item>(read: (offset: number) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Page<Item> = await read(offset);
    items.push(...page.items);
    offset = page.next;
  }
  return items;
}

const encoded = encodeURIComponent;

export const createClient = (source: Source) => ({
  lists: () => all((offset) => pageAt(source, { path: '/3.0/lists', shape: Lists, offset, items: ({ lists }) => lists })),
  mergeFields: (list: string) =>
    all((offset) =>
      pageAt(source, { path: `/3.0/lists/${encoded(list)}/merge-fields`, shape: MergeFields, offset, items: (page) => page.merge_fields }),
    ),
  members: (list: string, offset: number) =>
    pageAt(source, { path: `/3.0/lists/${encoded(list)}/members`, shape: Members, offset, items: ({ members }) => members }),
  abuseReports: (list: string, offset: number) =>
    pageAt(source, {
      ...{ path: `/3.0/lists/${encoded(list)}/abuse-reports`, shape: AbuseReports, offset },
      items: (page) => page.abuse_reports,
    }),
  /** Only those that the account made itself. */
  templates: () =>
    all((offset) => pageAt(source, { path: '/3.0/templates?type=user', shape: Templates, offset, items: ({ templates }) => templates })),
  /** Newest first. */
  campaigns: () =>
    all((offset) =>
      pageAt(source, {
        path: '/3.0/campaigns?sort_field=create_time&sort_dir=DESC&fields=campaigns.id,campaigns.settings.template_id,total_items',
        shape: Campaigns,
        offset,
        items: ({ campaigns }) => campaigns,
      }),
    ),
  campaignHtml: async (id: string) => (await source.get(`/3.0/campaigns/${encoded(id)}/content`, CampaignContent)).html ?? '',
});
