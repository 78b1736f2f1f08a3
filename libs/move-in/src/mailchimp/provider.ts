import { SourceError } from '../errors.ts';
import type { Batch, MovedRecord, Provider } from '../records.ts';
import type { Source } from '../source.ts';
import { mailchimpArchive } from './archive.ts';
import { createClient, type Start } from './client.ts';
import { complaintOf, listOf, memberRecords, templateOf, unusedTemplate } from './mapper.ts';
import type { MergeField } from './types.ts';

/** `lists`, then for each audience `members` and `complaints`, then `templates`. */
type Position = ({ list: string; stage: 'members' | 'complaints' } & Start) | { stage: 'templates'; done: number } | { stage: 'end' };
const positionOf = (text: string): Position => JSON.parse(text);
const begin: Start = { offset: 0, total: 0 };
const at = (records: MovedRecord[], position: Position): Batch => ({ records, next: JSON.stringify(position) });

async function* read(source: Source, after: string | null): AsyncIterable<Batch> {
  const client = createClient(source);
  const from = after === null ? undefined : positionOf(after);
  if (from?.stage === 'end') return;
  const lists = await client.lists();
  // One after the other: Mailchimp allows ten connections at a time.
  const fields: MergeField[] = [];
  for (const { id } of lists) fields.push(...(await client.mergeFields(id)));
  let position: Position = from ?? { stage: 'templates', done: 0 };
  const [first] = lists;
  if (from === undefined) {
    if (first) position = { list: first.id, stage: 'members', ...begin };
    yield at(lists.map(listOf), position);
  }
  while ('list' in position) {
    const { list, stage, ...start }: Extract<Position, { list: string }> = position;
    const page: { records: MovedRecord[]; next: number | null; total: number } =
      stage === 'members' ? await membersAt(list, start) : await complaintsAt(list, start);
    const following = lists[lists.findIndex(({ id }) => id === list) + 1];
    if (page.next !== null) position = { list, stage, offset: page.next, total: page.total };
    else if (stage === 'members') position = { list, stage: 'complaints', ...begin };
    else position = following ? { list: following.id, stage: 'members', ...begin } : { stage: 'templates', done: 0 };
    yield at(page.records, position);
  }
  async function membersAt(list: string, start: Start) {
    const { items, ...rest } = await client.members(list, start);
    return { records: items.flatMap((member) => memberRecords(member, list)), ...rest };
  }

  async function complaintsAt(list: string, start: Start) {
    const { items, ...rest } = await client.abuseReports(list, start);
    return { records: items.map(complaintOf), ...rest };
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
  keyPrompt: 'Mailchimp API key',
  connect(key, url) {
    const [, center] = /^[\w-]+-([a-z]{2}\d{1,3})$/.exec(key) ?? [];
    if (center === undefined && url === undefined)
      throw new SourceError('A Mailchimp API key ends with its data center, such as -us21. Create one under Profile → Extras → API keys.');
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
