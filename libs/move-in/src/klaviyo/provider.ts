import { SourceError } from '../errors.ts';
import type { Batch, MovedRecord, Provider } from '../records.ts';
import type { Source } from '../source.ts';
import { klaviyoArchive } from './archive.ts';
import { createClient, revision } from './client.ts';
import { eventRecords } from './event-mapper.ts';
import { listOf, profileRecords, templateOf } from './mapper.ts';

const stages = ['lists', 'profiles', 'members', 'templates', 'events', 'end'] as const;
/** `lists` are those whose members are still to be read. */
type Position = { stage: (typeof stages)[number]; url: string | null; lists: string[] };
const start: Position = { stage: 'lists', url: null, lists: [] };
const positionOf = (text: string): Position => JSON.parse(text);

async function* read(
  source: Source,
  after: string | null,
  { eventsSince }: { eventsSince?: string | undefined } = {},
): AsyncIterable<Batch> {
  const client = createClient(source);
  let currency: Promise<string | undefined> | undefined;
  let position = after === null ? start : positionOf(after);
  while (position.stage !== 'end') {
    const { stage, url, lists }: Position = position;
    const { records, next, rest } = await pageOf(stage, url, lists);
    const following = stages[stages.indexOf(stage) + 1] ?? 'end';
    position = next !== null ? { stage, url: next, lists: rest } : { stage: following, url: null, lists: rest };
    if (stage === 'members' && next === null && rest.length > 0) position = { stage, url: null, lists: rest };
    yield { records, next: JSON.stringify(position) };
  }

  async function pageOf(stage: Position['stage'], url: string | null, lists: string[]) {
    const result = (records: MovedRecord[], next: string | null, rest = lists) => ({ records, next, rest });
    const [list] = lists;
    if (stage === 'lists') {
      const page = await client.lists(url);
      return result(page.data.map(listOf), page.next, [...lists, ...page.data.map(({ id }) => id)]);
    }
    if (stage === 'profiles') {
      const page = await client.profiles(url);
      return result(page.data.flatMap(profileRecords), page.next);
    }
    if (stage === 'members') {
      if (list === undefined) return result([], null);
      const page = await client.members(list, url);
      const records = page.data.map(({ id }): MovedRecord => ({ kind: 'member', list, contact: id }));
      return result(records, page.next, page.next === null ? lists.slice(1) : lists);
    }
    if (stage === 'templates') {
      const page = await client.templates(url);
      return result(page.data.map(templateOf), page.next);
    }
    if (eventsSince === undefined) return result([], null);
    currency ??= client.currency();
    const setting = { since: eventsSince, currency: await currency };
    const page = await client.events(eventsSince, url);
    return result(eventRecords(page, setting), page.next);
  }
}

export const klaviyo: Provider = {
  title: 'Klaviyo',
  keyVariable: 'KLAVIYO_API_KEY',
  keyPrompt: 'Klaviyo private API key',
  connect(key, url) {
    if (/^[A-Za-z0-9]{6}$/.test(key))
      throw new SourceError('This is a Klaviyo public key. Create a private key under Settings → API keys.');
    const headers = { authorization: `Klaviyo-API-Key ${key}`, revision, accept: 'application/vnd.api+json' };
    return { url: url ?? 'https://a.klaviyo.com', headers };
  },
  read,
  bringsEvents: true,
  archive: klaviyoArchive,
  staysBehind: [
    'campaigns and their reports',
    'flows',
    'segments: describe them again as dynamic segments',
    'what Klaviyo records of its own emails, messages and consents, such as Opened Email',
    'catalogs, coupons, images, forms and reviews',
    'profiles without an email address',
  ],
};
