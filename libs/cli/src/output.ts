import Table from 'cli-table3';

const maxColumns = 6;
const maxCellWidth = 40;
/** Shown first, if present. */
const preferred = ['id', 'name', 'email', 'subject', 'status', 'state', 'type', 'event'];

type Row = Record<string, unknown>;

export type Output = { write: (text: string) => void; note: (text: string) => void; isTerminal: boolean };

export const terminal: Output = {
  write: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  get isTerminal() {
    return process.stdout.isTTY === true;
  },
};

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Control characters of data could otherwise change what the terminal shows. */
const visible = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  const text = visible(
    Array.isArray(value)
      ? value.map((one) => (isRow(one) ? JSON.stringify(one) : String(one))).join(', ')
      : isRow(value)
        ? JSON.stringify(value)
        : String(value),
  );
  return text.length > maxCellWidth ? `${text.slice(0, maxCellWidth - 1)}…` : text;
}

/** The columns that have a simple value in at least one row, the most useful first. */
function columnsOf(rows: readonly Row[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => row[name] !== null && row[name] !== undefined && !isRow(row[name])),
  );
  const rank = (name: string) => (preferred.includes(name) ? preferred.indexOf(name) : preferred.length);
  return names.sort((a, b) => rank(a) - rank(b)).slice(0, maxColumns);
}

const noBorders = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((name) => [name, '']),
);

export function tableOf(rows: readonly Row[], columns = columnsOf(rows)): string {
  const table = new Table({
    head: columns,
    chars: { ...noBorders, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: ['bold'], border: [] },
  });
  for (const row of rows) table.push(columns.map((name) => cell(row[name])));
  return `${table.toString()}\n`;
}

/** One line of JSON for each item, or a table. */
export function printItems(output: Output, items: readonly unknown[], asTable: boolean): void {
  const rows = items.filter(isRow);
  if (asTable && rows.length > 0) output.write(tableOf(rows));
  else for (const item of items) output.write(`${JSON.stringify(item)}\n`);
}

/** JSON, on a terminal indented. */
export function printData(output: Output, data: unknown): void {
  output.write(`${JSON.stringify(data, null, output.isTerminal ? 2 : 0)}\n`);
}
