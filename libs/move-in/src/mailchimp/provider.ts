import { SourceError } from '../errors.ts';
import type { Batch, MovedRecord, Provider } from '../records.ts';
import type { Source } from '../source.ts';
import { mailchimpArchive } from './archive.ts';
import { createClient } from './client.ts';
import { complaintOf, listOf, memberRecords, templateOf, unusedTemplate } from './mapper.ts';

/** `lists`, then for each audience `members` and `complaints`, then `templates`. */
type Position = { list: string; stage: 'members' | 'complaints'; offset: number } | { stage: 'templates'; done: number } | { stage: 'end' };
const positionOf = (text: string): Position => JSON.parse(text);
const at = (records: MovedRecord[], position: Position): Batch => ({ records, next: JSON.stringify(position) });

async function* read(source: Source, after: string | null): AsyncIterable<Batch> {
  const client = createClient(source);
  const start = after === null ? undefined : positionOf(after);
  if (start?.stage === 'end') return;
  const lists = await client.lists();
  const fields = (await Promise.all(lists.map(({ id }) => client.mergeFields(id)))).flat();
  let position: Position = start ?? { stage: 'templates', done: 0 };
  const [first] = lists;
  if (start === undefined) {
    if (first) position = { list: first.id, stage: 'members', offset: 0 };
    yield at(lists.map(listOf), position);
  }
  while ('list' in position) {
    const { list, stage, offset }: Extract<Position, { list: string }> = position;
    const page: { records: MovedRecord[]; next: number | null } =
      stage === 'members' ? await membersAt(list, offset) : await complaintsAt(list, offset);
    const following = lists[lists.findIndex(({ id }) => id === list) + 1];
    if (page.next !== null) position = { list, stage, offset: page.next };
    else if (stage === 'members') position = { list, stage: 'complaints', offset: 0 };
    else position = following ? { list: following.id, stage: 'members', offset: 0 } : { stage: 'templates', done: 0 };
    yield at(page.records, position);
  }
  async function membersAt(list: string, offset: number) {
    const { items, next } = await client.members(list, offset);
    return { records: items.flatMap((member) => memberRecords(member, list)), next };
  }

  async function complaintsAt(list: string, offset: number) {
    const { items, next } = await client.abuseReports(list, offset);
    return { records: items.map(complaintOf), next };
  }

  if (position.stage !== 'templates') return;
  const [templates, campaigns] = [await client.templates(), await client.campaigns()];
  for (const [index, { id, name }] of templates.entries()) {
    if (index < position.done) continue;
    const made = campaigns.find(({ settings }) => settings?.template_id === id);
    const record = made ? templateOf(name, await client.campaignHtml(made.id), fields) : unusedTemplate;
    yield at([record], { stage: 'templates', done: index + 1 });
  }
  yield at([], { stage: 'end' });
}

export const mailchimp: Provider = {
  title: 'Mailchimp',
  keyVariable: 'MAILCHIMP_API_KEY',
  keyPrompt: 'API key of Mailchimp',
  connect(key, url) {
    const [, center] = /^[\w-]+-([a-z]{2}\d{1,3})$/.exec(key) ?? [];
    if (center === undefined && url === undefined)
      throw new SourceError(
        'An API key of Mailchimp ends with its data center, such as -us21. Create one under Profile → Extras → API keys.',
      );
    const authorization = `Basic ${Buffer.from(`mp:${key}`).toString('base64')}`;
    return { url: url ?? `https://${center}.api.mailchimp.com`, headers: { authorization, accept: 'application/json' } };
  },
  read,
  archive: mailchimpArchive,
  staysBehind: [
    'campaigns and their reports',
    'automations and customer journeys',
    'saved segments: describe them again as dynamic segments',
    'groups and interests, unless you make tags of them',
    'landing pages, forms, images and stores',
    'archived members',
    'templates that no campaign was made from',
  ],
};
