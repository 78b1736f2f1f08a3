import { SourceError } from '../errors.ts';
import type { Batch, MovedRecord, Provider } from '../records.ts';
import type { Source } from '../source.ts';
import { listmonkArchive } from './archive.ts';
import { createClient, type Start } from './client.ts';
import { bounceRecords, listOf, subscriberRecords, templateOf } from './mapper.ts';

const stages = ['lists', 'subscribers', 'bounces', 'templates', 'end'] as const;
type Position = { stage: (typeof stages)[number] } & Start;
type Read = { records: MovedRecord[]; next: number | null; total: number };
const begin: Start = { page: 1, total: 0 };
const positionOf = (text: string): Position => JSON.parse(text);

async function* read(source: Source, after: string | null): AsyncIterable<Batch> {
  const client = createClient(source);
  const pageOf: Record<Exclude<Position['stage'], 'end'>, (start: Start) => Promise<Read>> = {
    lists: async (start) => mapped(await client.lists(start), (list) => [listOf(list)]),
    subscribers: async (start) => mapped(await client.subscribers(start), subscriberRecords),
    bounces: async (start) => mapped(await client.bounces(start), bounceRecords),
    templates: async () => ({ records: (await client.templates()).map(templateOf), next: null, total: 0 }),
  };
  let position: Position = after === null ? { stage: 'lists', ...begin } : positionOf(after);
  while (position.stage !== 'end') {
    const { stage, ...start }: Position = position;
    const { records, next, total } = await pageOf[stage](start);
    position = next === null ? { stage: stages[stages.indexOf(stage) + 1] ?? 'end', ...begin } : { stage, page: next, total };
    yield { records, next: JSON.stringify(position) };
  }
}

const mapped = <Item>({ items, ...rest }: { items: Item[] } & Omit<Read, 'records'>, map: (item: Item) => MovedRecord[]): Read => ({
  records: items.flatMap(map),
  ...rest,
});

export const listmonk: Provider = {
  title: 'listmonk',
  keyVariable: 'LISTMONK_API_KEY',
  keyPrompt: 'listmonk user and token (user:token)',
  connect(key, url) {
    if (!/^[^:\s]+:\S+$/.test(key)) throw new SourceError('A listmonk key is <user>:<token>. Create an API user under Admin → Users.');
    if (url === undefined) throw new SourceError('Pass the URL of your listmonk, such as --url https://lists.example.com.');
    return { url: url, headers: { authorization: `token ${key}`, accept: 'application/json' } };
  },
  read,
  archive: listmonkArchive,
  staysBehind: ['campaigns and their statistics', 'media', 'soft bounces', 'settings, users and roles', 'the public archive'],
};
