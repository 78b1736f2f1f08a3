import { addressKey, isAddress, line, pastTime } from '@mp/move-in/clean-fields';
import type { MovedSuppression, Note } from '@mp/move-in/records';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../usage-error.ts';

type Cells = ReadonlyMap<string, string>;
type Reason = MovedSuppression['reason'];

/** An export, recognised by the columns it has; `reasonOf` returns undefined for a row that is no suppression. */
type Format = {
  title: string;
  columns: readonly string[];
  email: string;
  date: string;
  note: (cells: Cells) => string;
  reasonOf: (cells: Cells) => Reason | undefined;
};

const bounceOrComplaint = (text: string): Reason =>
  /complain|spam|abuse/i.test(text) ? 'complaint' : /bounce|invalid|5\d\d|suppressed by/i.test(text) ? 'hard_bounce' : 'manual';
const cell = (name: string) => (cells: Cells) => cells.get(name) ?? '';

/** Those with more columns come first. */
const formats: readonly Format[] = [
  {
    ...{ title: 'Amazon SES', columns: ['emailaddress', 'reason', 'lastupdatetime'], email: 'emailaddress', date: 'lastupdatetime' },
    ...{ note: cell('reason'), reasonOf: (cells) => bounceOrComplaint(cell('reason')(cells)) },
  },
  {
    ...{ title: 'Postmark', columns: ['emailaddress', 'suppressionreason', 'createdat'], email: 'emailaddress', date: 'createdat' },
    ...{ note: cell('suppressionreason'), reasonOf: (cells) => bounceOrComplaint(cell('suppressionreason')(cells)) },
  },
  {
    ...{ title: 'Mailgun bounces', columns: ['address', 'code', 'error', 'created_at'], email: 'address', date: 'created_at' },
    note: (cells) => [cells.get('code'), cells.get('error')].filter(Boolean).join(' '),
    // Mailgun also lists addresses that it could not reach for some time.
    reasonOf: (cells) => (/^4\d\d$/.test(cell('code')(cells)) ? undefined : 'hard_bounce'),
  },
  {
    ...{ title: 'Mailgun unsubscribes', columns: ['address', 'tags', 'created_at'], email: 'address', date: 'created_at' },
    ...{ note: () => 'unsubscribed', reasonOf: () => 'manual' },
  },
  {
    ...{ title: 'Mailgun complaints', columns: ['address', 'created_at'], email: 'address', date: 'created_at' },
    ...{ note: () => 'complaint', reasonOf: () => 'complaint' },
  },
  {
    ...{ title: 'SendGrid bounces', columns: ['email', 'status', 'reason', 'created'], email: 'email', date: 'created' },
    note: cell('reason'),
    reasonOf: (cells) => (/^4\./.test(cell('status')(cells)) ? undefined : 'hard_bounce'),
  },
  {
    ...{ title: 'SendGrid spam reports', columns: ['email', 'ip', 'created'], email: 'email', date: 'created' },
    ...{ note: () => 'spam report', reasonOf: () => 'complaint' },
  },
  {
    ...{ title: 'SendGrid blocks or invalid emails', columns: ['email', 'reason', 'created'], email: 'email', date: 'created' },
    note: cell('reason'),
    // A block is temporary; an invalid address is not.
    reasonOf: (cells) =>
      /invalid|malformed|does not|no such|not exist|known bad|mx/i.test(cell('reason')(cells)) ? 'hard_bounce' : undefined,
  },
  {
    ...{ title: 'SendGrid unsubscribes', columns: ['email', 'created'], email: 'email', date: 'created' },
    ...{ note: () => 'unsubscribed', reasonOf: () => 'manual' },
  },
];

/** Seconds since 1970, as SendGrid writes them; `2026-01-31 10:00:00` without a zone is UTC. */
function timeOf(text: string): string {
  if (/^\d{9,11}$/.test(text)) return new Date(Number(text) * 1_000).toISOString();
  return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text.replace(/ UTC$/, '');
}

const keyOf = (column: string) =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

export type SuppressionFile = { title: string; rows: MovedSuppression[]; skipped: { line: number; why: string }[] };

/** The suppressions of an export. Throws UsageError if it is none that is known. */
export function readSuppressions(content: string): SuppressionFile {
  let table: string[][];
  try {
    table = parse(content, { bom: true, relax_column_count: true, skip_empty_lines: true, delimiter: [',', ';', '\t'] });
  } catch (error) {
    throw new UsageError(`The file is not valid CSV: ${error instanceof Error ? error.message : String(error)}`);
  }
  const [header = [], ...lines] = table;
  const names = header.map(keyOf);
  const has = (column: string) => names.includes(column) || names.some((name) => name.replaceAll('_', '') === column);
  const format = formats.find(({ columns }) => columns.every(has));
  if (!format)
    throw new UsageError(
      `These columns are of no export of ${[
        ...new Set(
          formats.map(({ title }) =>
            title
              .split(' ')
              .slice(0, title.startsWith('Amazon') ? 2 : 1)
              .join(' '),
          ),
        ),
      ].join(', ')}: ${header.slice(0, 10).join(', ').slice(0, 200)}.`,
    );
  const rows = new Map<string, MovedSuppression>();
  const skipped: SuppressionFile['skipped'] = [];
  for (const [index, values] of lines.entries()) {
    const cells = new Map(
      values.flatMap((value, at) => [
        [names[at] ?? '', value.trim()],
        [(names[at] ?? '').replaceAll('_', ''), value.trim()],
      ]),
    );
    const skip = (why: string) => skipped.push({ line: index + 2, why });
    const email = cells.get(format.email) ?? '';
    const reason = format.reasonOf(cells);
    const notes: Note[] = [];
    if (!isAddress(email)) skip('has no valid email address');
    else if (reason === undefined) skip('is a temporary failure, not a suppression');
    else {
      const suppressed_at = pastTime(timeOf(cells.get(format.date) ?? ''), 'date', notes);
      const [note] = notes;
      if (note) skip(`its date ${note.why}; it counts from now`);
      const said = line(`${format.title}: ${format.note(cells)}`, 500, 'note', []);
      const before = rows.get(addressKey(email));
      if (before && (before.reason === 'complaint' || reason !== 'complaint')) continue;
      rows.set(addressKey(email), {
        kind: 'suppression',
        email,
        reason,
        ...(suppressed_at && { suppressed_at }),
        ...(said && { note: said }),
      });
    }
  }
  return { title: format.title, rows: [...rows.values()], skipped };
}
