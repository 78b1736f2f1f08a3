import { addressKey, isAddress, line, pastTime } from '@mp/move-in/clean-fields';
import type { MovedSuppression, Note } from '@mp/move-in/records';
import type { NewSuppression } from '@mp/move-in/target';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../usage-error.ts';

type Cells = ReadonlyMap<string, string>;
type Reason = MovedSuppression['reason'];

/** An export, recognised by the columns it has, and by its rows; `reasonOf` returns undefined for a row that is not a suppression. */
type Format = {
  title: string;
  columns: readonly string[];
  fits?: (cells: Cells) => boolean;
  email: string;
  date: string | readonly string[];
  note: (cells: Cells) => string;
  reasonOf: (cells: Cells) => Reason | undefined;
};

const bounceOrComplaint = (text: string): Reason =>
  /complain|spam|abuse/i.test(text) ? 'complaint' : /bounce|invalid|5\d\d|suppressed by/i.test(text) ? 'hard_bounce' : 'manual';
const cell = (name: string) => (cells: Cells) => cells.get(name) ?? '';

/** The reasons of a plain list, with what others call them. */
const reasons = new Map<string, Reason>([
  ...['hard_bounce', 'hard_bounced', 'bounce', 'bounced'].map((name) => [name, 'hard_bounce'] as const),
  ...['complaint', 'complained', 'spam'].map((name) => [name, 'complaint'] as const),
  ...['manual', 'unsubscribe', 'unsubscribed'].map((name) => [name, 'manual'] as const),
]);
const plainReason = (cells: Cells) => reasons.get(keyOf(cell('reason')(cells)));

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
    ...{ title: 'Plain list', columns: ['reason'], email: 'email', date: ['suppressed_at', 'date', 'created_at', 'created'] },
    fits: (cells) => plainReason(cells) !== undefined && (cells.get('email') || cells.get('domain') || '') !== '',
    ...{ note: (cells) => cells.get('note') || cell('reason')(cells), reasonOf: plainReason },
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
  if (/^\d{9,11}(\.\d+)?$/.test(text)) return new Date(Number(text) * 1_000).toISOString();
  return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text.replace(/ UTC$/, '');
}

const keyOf = (column: string) =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

export type SuppressionFile = { title: string; rows: NewSuppression[]; skipped: { line: number; why: string }[] };

/** A table of an export, and the line of its first row. Of JSON, that of the first list in it, with its items as lines. */
type Table = { header: readonly string[]; lines: readonly (readonly string[])[]; first: number };

function tableIn(content: string): Table {
  if (/^\s*[{[]/.test(content)) return tableInJson(content);
  try {
    const table: string[][] = parse(content, { bom: true, relax_column_count: true, skip_empty_lines: true, delimiter: [',', ';', '\t'] });
    return { header: table[0] ?? [], lines: table.slice(1), first: 2 };
  } catch (error) {
    throw new UsageError(`The file is not valid CSV: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function tableInJson(content: string): Table {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content.trim());
  } catch (error) {
    throw new UsageError(`The file is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const list: unknown = Array.isArray(parsed) ? parsed : Object.values(parsed ?? {}).find(Array.isArray);
  const items = (Array.isArray(list) ? list : []).map((item: unknown) => new Map(Object.entries(item ?? {})));
  const header = [...new Set(items.flatMap((item) => [...item.keys()]))];
  return { header, lines: items.map((item) => header.map((name) => String(item.get(name) ?? ''))), first: 1 };
}

/** The suppressions of an export. Throws UsageError if its format is not known. */
export function readSuppressions(content: string): SuppressionFile {
  const { header, lines, first } = tableIn(content);
  const names = header.map(keyOf);
  const has = (column: string) => names.includes(column) || names.some((name) => name.replaceAll('_', '') === column);
  const all = lines.map((values): Cells => {
    const cells = values.map((value, at) => [names[at] ?? '', value.trim()] as const);
    return new Map(cells.flatMap(([name, value]) => [[name, value] as const, [name.replaceAll('_', ''), value] as const]));
  });
  const format = formats.find(({ columns, fits }) => columns.every(has) && (!fits || (all.length > 0 && all.every(fits))));
  if (!format)
    throw new UsageError(
      'These columns do not match an export of Amazon SES, Postmark, Mailgun or SendGrid: ' +
        `${header.slice(0, 10).join(', ').slice(0, 200)}. ` +
        'A plain list has the columns email or domain, reason (hard_bounce, complaint or manual) and suppressed_at.',
    );
  const rows = new Map<string, NewSuppression>();
  const skipped: SuppressionFile['skipped'] = [];
  for (const [index, cells] of all.entries()) {
    const skip = (why: string) => skipped.push({ line: index + first, why });
    const email = cells.get(format.email) ?? '';
    const domain = email === '' ? cells.get('domain') : undefined;
    const reason = format.reasonOf(cells);
    const notes: Note[] = [];
    if (!domain && !isAddress(email)) skip('has no valid email address');
    else if (reason === undefined) skip('is a temporary failure, not a suppression');
    else {
      const date = [format.date]
        .flat()
        .map((name) => cells.get(name))
        .find(Boolean);
      const suppressed_at = pastTime(timeOf(date ?? ''), 'date', notes);
      const [note] = notes;
      if (note) skip(`its date ${note.why}; it counts from now`);
      const said = line(`${format.title}: ${format.note(cells)}`, 500, 'note', []);
      const key = addressKey(domain ?? email);
      const before = rows.get(key);
      if (before && (before.reason === 'complaint' || reason !== 'complaint')) continue;
      rows.set(key, { ...(domain ? { domain } : { email }), reason, ...(suppressed_at && { suppressed_at }), ...(said && { note: said }) });
    }
  }
  return { title: format.title, rows: [...rows.values()], skipped };
}
