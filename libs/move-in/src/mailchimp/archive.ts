import { baseName, type Cells, tableOf, utc } from '../archive.ts';
import { SourceError } from '../errors.ts';
import type { Archive, ArchiveFile, MovedRecord } from '../records.ts';
import { memberRecords, templateOf } from './mapper.ts';
import type { Member, MergeField } from './types.ts';

const statuses = ['unsubscribed', 'nonsubscribed', 'subscribed', 'cleaned', 'archived'] as const;
type Status = (typeof statuses)[number];

/** Columns that Mailchimp adds; the others are merge fields. */
const own = new Set([
  ...['email_address', 'email', 'member_rating', 'optin_time', 'optin_ip', 'confirm_time', 'confirm_ip', 'latitude', 'longitude'],
  ...['gmtoff', 'dstoff', 'timezone', 'cc', 'region', 'last_changed', 'leid', 'euid', 'notes', 'tags', 'unsub_time'],
  ...['unsub_campaign_title', 'unsub_campaign_id', 'unsub_reason', 'unsub_reason_other', 'clean_time', 'clean_campaign_title'],
  ...['clean_campaign_id', 'first_name', 'last_name', 'phone_number', 'phone', 'company'],
]);

/** What the columns say, or else the name of the file. */
function statusOf(name: string, keys: readonly string[]): Status | undefined {
  if (keys.includes('unsub_time')) return 'unsubscribed';
  if (keys.includes('clean_time')) return 'cleaned';
  return statuses.find((status) => name.toLowerCase().includes(status));
}

/** The audience by the folder or the name of a file; files of one audience differ in the status. */
function audienceOf(name: string): string {
  const words = baseName(name)
    .replaceAll(/[_\s-]+/g, ' ')
    .replaceAll(/(un|non)?subscribed|cleaned|archived|members|email|audience|export/gi, ' ')
    .replaceAll(/\b[0-9a-f]{8,}\b/gi, ' ');
  const folders = name.split('/').slice(0, -1);
  const folder = folders.at(-1)?.replaceAll('_', ' ').trim() ?? '';
  return words.replaceAll(/\s+/g, ' ').trim() || (/^(lists|audiences|members)?$/i.test(folder) ? '' : folder) || 'Mailchimp';
}

/** As Mailchimp makes the tag of a new merge field. */
const tagOf = (column: string) =>
  column
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]/g, '')
    .slice(0, 10);

/** `"vip","early bird"`. */
const tagsIn = (cell: string) =>
  cell
    .split(',')
    .map((tag) => tag.trim().replaceAll(/^"|"$/g, ''))
    .filter(Boolean)
    .map((name) => ({ name }));

function memberOf(cells: Cells, status: Status, fields: ReadonlyMap<string, string>): Member {
  const cell = (...names: string[]) => names.map((name) => cells.get(name)).find((value) => value !== undefined && value !== '');
  const others = [...fields].flatMap(([key, tag]) => (cells.get(key) ? [[tag, cells.get(key)] as const] : []));
  const address = cell('email_address', 'email') ?? '';
  return {
    id: address.toLowerCase(),
    email_address: address,
    status: status === 'nonsubscribed' ? 'transactional' : status,
    timestamp_signup: utc(cell('optin_time')),
    timestamp_opt: utc(cell('confirm_time')),
    ip_signup: cell('optin_ip'),
    ip_opt: cell('confirm_ip'),
    last_changed: utc(cell('unsub_time', 'clean_time', 'last_changed')),
    unsubscribe_reason: cell('unsub_reason_other', 'unsub_reason'),
    tags: tagsIn(cells.get('tags') ?? ''),
    merge_fields: {
      ...Object.fromEntries(others),
      ...{ FNAME: cell('first_name'), LNAME: cell('last_name'), PHONE: cell('phone_number', 'phone'), COMPANY: cell('company') },
    },
  };
}

function* recordsIn(files: readonly ArchiveFile[]): Iterable<MovedRecord> {
  const audiences = new Set<string>();
  const tags = new Set<string>();
  let isKnown = false;
  for (const { name, text } of files.filter((file) => !/\.html?$/i.test(file.name))) {
    const { columns, keys, rows } = tableOf(text());
    if (!keys.includes('email_address') && !keys.includes('email')) continue;
    const status = statusOf(name, keys);
    if (status === undefined) {
      yield { kind: 'note', about: `file ${baseName(name)}`, why: 'does not say in its name whether its contacts are subscribed' };
      continue;
    }
    isKnown = true;
    const audience = audienceOf(name);
    if (!audiences.has(audience)) yield { kind: 'list', id: audience, name: audience };
    audiences.add(audience);
    const fields = new Map(keys.flatMap((key, index) => (own.has(key) ? [] : [[key, tagOf(columns[index] ?? '')] as const])));
    for (const tag of fields.values()) tags.add(tag);
    for (const cells of rows) yield* memberRecords(memberOf(cells, status, fields), audience);
  }
  if (!isKnown)
    throw new SourceError(
      'None of the files is a Mailchimp audience export: expected CSV files such as subscribed_members_export.csv with the column ' +
        'Email Address, exported in English.',
    );
  const mergeFields = [...tags].map((tag, index): MergeField => ({ merge_id: -index - 1, tag }));
  for (const { name, text } of files.filter((file) => /(^|\/)templates?\/.*\.html?$/i.test(file.name)))
    yield templateOf(baseName(name).replaceAll('_', ' '), text(), mergeFields);
}

export const mailchimpArchive: Archive = {
  title: 'Mailchimp',
  describes: 'The ZIP file of an audience export, or of Account → Settings → Export account data.',
  recordsIn,
  staysBehind: [
    'complaints: a file counts them as unsubscribed',
    'campaigns and their reports',
    'automations and customer journeys',
    'saved segments: describe them again as dynamic segments',
    'groups and interests, unless you make tags of them',
    'landing pages, forms, images and stores',
    'archived members',
  ],
};
