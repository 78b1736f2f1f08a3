import { SourceError } from '../errors.ts';
import type { Batch, MovedRecord, Provider } from '../records.ts';
import type { Source } from '../source.ts';
import { listmonkArchive } from './archive.ts';
import { createClient } from './client.ts';
import { bounceRecords, listOf, subscriberRecords, templateOf } from './mapper.ts';

const stages = ['lists', 'subscribers', 'bounces', 'templates', 'end'] as const;
type Position = { stage: (typeof stages)[number]; page: number };
const positionOf = (text: string): Position => JSON.parse(text);

async function* read(source: Source, after: string | null): AsyncIterable<Batch> {
  const client = createClient(source);
  const pageOf: Record<Exclude<Position['stage'], 'end'>, (page: number) => Promise<{ records: MovedRecord[]; next: number | null }>> = {
    lists: async (page) => mapped(await client.lists(page), (list) => [listOf(list)]),
    subscribers: async (page) => mapped(await client.subscribers(page), subscriberRecords),
    bounces: async (page) => mapped(await client.bounces(page), bounceRecords),
    templates: async () => ({ records: (await client.templates()).map(templateOf), next: null }),
  };
  let position: Position = after === null ? { stage: 'lists', page: 1 } : positionOf(after);
  while (position.stage !== 'end') {
    const { stage, page }: Position = position;
    const { records, next } = await pageOf[stage](page);
    position = next === null ? { stage: stages[stages.indexOf(stage) + 1] ?? 'end', page: 1 } : { stage, page: next };
    yield { records, next: JSON.stringify(position) };
  }
}

const mapped = <Item>({ items, next }: { items: Item[]; next: number | null }, map: (item: Item) => MovedRecord[]) => ({
  records: items.flatMap(map),
  next,
});

export const listmonk: Provider = {
  title: 'listmonk',
  keyVariable: 'LISTMONK_API_KEY',
  keyPrompt: 'User and token of listmonk (user:token)',
  connect(key, url) {
    if (!/^[^:\s]+:\S+$/.test(key)) throw new SourceError('A key of listmonk is <user>:<token>. Create an API user under Admin → Users.');
    if (url === undefined) throw new SourceError('Pass the URL of your listmonk, such as --url https://lists.example.com.');
    return { url: url, headers: { authorization: `token ${key}`, accept: 'application/json' } };
  },
  read,
  archive: listmonkArchive,
  staysBehind: ['campaigns and their statistics', 'media', 'soft bounces', 'settings, users and roles', 'the public archive'],
};
