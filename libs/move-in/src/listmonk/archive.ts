import { tableOf } from '../archive.ts';
import { SourceError } from '../errors.ts';
import type { Archive, ArchiveFile, MovedRecord } from '../records.ts';
import { subscriberRecords } from './mapper.ts';

function attributesIn(cell: string | undefined): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(cell || '{}');
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

/** `2024-03-01 10:00:00.123456 +0000 UTC`, as Go writes a time. */
const timeOf = (cell: string | undefined) => {
  const [, day, time, zone] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*\s*(Z|[+-]\d\d:?\d\d)?/.exec(cell ?? '') ?? [];
  return day === undefined ? cell : `${day}T${time}${zone?.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2') ?? 'Z'}`;
};

function* recordsIn(files: readonly ArchiveFile[]): Iterable<MovedRecord> {
  let isKnown = false;
  for (const { text } of files) {
    const { keys, rows } = tableOf(text());
    if (!['email', 'status', 'attributes'].every((key) => keys.includes(key))) continue;
    isKnown = true;
    yield {
      ...{ kind: 'note', about: 'subscriptions' },
      why: 'are not in the listmonk export: its contacts come without consent and lists. Import with a key instead',
    };
    let id = 0;
    for (const cells of rows) {
      id += 1;
      const [email, name, status] = ['email', 'name', 'status'].map((key) => cells.get(key) ?? '');
      const times = { created_at: timeOf(cells.get('created_at')), updated_at: timeOf(cells.get('updated_at')) };
      yield* subscriberRecords({ id, email, name, status, attribs: attributesIn(cells.get('attributes')), ...times });
    }
  }
  if (!isKnown)
    throw new SourceError(
      'None of the files is a listmonk export: expected subscribers.csv with the columns email, status and attributes.',
    );
}

export const listmonkArchive: Archive = {
  title: 'listmonk',
  describes: 'subscribers.csv from Subscribers → Export. It has no subscriptions, so contacts come without consent.',
  recordsIn,
  staysBehind: [
    'subscriptions and lists, templates, bounces: they come with a key of the API',
    'campaigns and their statistics',
    'media',
    'settings, users and roles',
    'the public archive',
  ],
};
