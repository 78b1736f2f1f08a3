import { NativeSelect, Text } from '@mantine/core';
import { type DateOrder, dayIn, namesIn } from '@mp/contracts/import-cells';
import type { AttributeType, ColumnChoice } from './column-mapping.ts';
import { ordersOf } from './value-guess.ts';

type AttributeChoice = Extract<ColumnChoice, { fills: 'attribute' }>;
type Props = { column: string; choice: AttributeChoice; cells: readonly string[]; onChange: (choice: ColumnChoice) => void };

const orderNames: Readonly<Record<DateOrder, string>> = { dmy: 'Day, month, year', mdy: 'Month, day, year', ymd: 'Year, month, day' };
const maxShown = 3;
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** The choice with another type. Dates get an order that fits the cells. */
export function ofType(
  { order: _, ...choice }: AttributeChoice,
  type: AttributeType | undefined,
  cells: readonly string[],
): AttributeChoice {
  const [order] = type === 'date' ? ordersOf(cells) : [];
  return { ...choice, type, ...(order && { order }) };
}

/** How the dates of the column are written, with examples from the file; nothing if they can be written in one way only. */
export function DateOrderField({ column, choice, cells, onChange }: Props) {
  const orders = choice.type === 'date' ? ordersOf(cells) : [];
  const { order } = choice;
  if (orders.length === 0 || order === undefined) return null;
  const examples = [...new Set(cells.filter((cell) => cell.trim() !== ''))].slice(0, maxShown);
  const written = (one: string) => {
    const day = dayIn(one, order);
    return day === undefined ? one : `${one} → ${days.format(new Date(day))}`;
  };
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={`Date format of ${column}`}
        data={orders.map((value) => ({ value, label: orderNames[value] }))}
        value={order}
        onChange={(event) => onChange({ ...choice, order: orders.find((one) => one === event.currentTarget.value) ?? order })}
      />
      <Text size="xs" c="dimmed" w="100%">
        {examples.map(written).join(', ')}
      </Text>
    </>
  );
}

/** What becomes of the names in the first rows. */
export function SplitNames({ cells }: { cells: readonly string[] }) {
  const names = [...new Set(cells.filter((cell) => cell.trim() !== ''))].slice(0, maxShown).map(namesIn);
  return (
    <Text size="xs" c="dimmed" w="100%">
      {names.map(({ first_name = '–', last_name = '–' }) => `First: ${first_name}, last: ${last_name}`).join(' · ')}
    </Text>
  );
}
