import { Button, Group, NativeSelect, Table, Text, TextInput } from '@mantine/core';
import { optionIn, optionsOf } from '../form/options.ts';
import { counted } from '../numbers/format-number.ts';
import { DateOrderField, ofType, SplitNames } from './cell-formats.tsx';
import { attributeGuess, cellsOf } from './column-guess.ts';
import { attributeTypes, type ColumnChoice, type ColumnChoices, fieldNames, isField, undecidedIn } from './column-mapping.ts';
import classes from './column-table.module.css';

type Props = {
  columns: readonly string[];
  /** The first rows of the file. */
  rows: readonly (readonly string[])[];
  choices: ColumnChoices;
  /** The user tried to start the import, so missing choices are marked as errors. */
  isSubmitted: boolean;
  onChange: (choices: ColumnChoices) => void;
};

/** The target of each column. A column without a matching field needs a choice, so that no data is dropped silently. */
export function ColumnTable({ columns, rows, choices, isSubmitted, onChange }: Props) {
  const undecided = undecidedIn(columns, choices);
  const decideRest = (decide: (column: string) => ColumnChoice) =>
    onChange({ ...choices, ...Object.fromEntries(undecided.map((column) => [column, decide(column)])) });

  return (
    <>
      {undecided.length > 0 && (
        <Group gap="sm" mb="md" role="status">
          <Text size="sm" {...(isSubmitted && { c: 'red' })}>
            {counted(undecided.length, 'column')} not matched: {undecided.join(', ')}. Choose a field for each, or:
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => decideRest((column) => attributeGuess(column, cellsOf(rows, columns.indexOf(column))))}
          >
            Import them as attributes
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => decideRest(() => ({ fills: 'nothing' }))}>
            Don't import them
          </Button>
        </Group>
      )}
      <div className={classes.scroll}>
        <Table aria-label="Columns" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Column</Table.Th>
              <Table.Th>First row</Table.Th>
              <Table.Th>Field</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columns.map((column, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity and are never reordered.
              <Table.Tr key={`${index} ${column}`}>
                <Table.Th scope="row" className={classes.word}>
                  {column}
                </Table.Th>
                <Table.Td className={classes.word}>
                  <Text span inherit c="dimmed">
                    {rows[0]?.[index]}
                  </Text>
                </Table.Td>
                <Table.Td className={classes.choice}>
                  <Choice
                    column={column}
                    choice={choices[column]}
                    cells={cellsOf(rows, index)}
                    isSubmitted={isSubmitted}
                    onChange={(choice) => onChange({ ...choices, [column]: choice })}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  );
}

type ChoiceProps = {
  column: string;
  choice: ColumnChoice | undefined;
  cells: readonly string[];
  isSubmitted: boolean;
  onChange: (choice: ColumnChoice) => void;
};

function Choice({ column, choice, cells, isSubmitted, onChange }: ChoiceProps) {
  const choose = (value: string) => {
    if (value === 'attribute') onChange(attributeGuess(column, cells));
    else if (value === 'nothing') onChange({ fills: 'nothing' });
    else if (isField(value)) onChange({ fills: 'field', field: value });
  };
  return (
    <div className={classes.fields}>
      <NativeSelect
        size="xs"
        aria-label={`Field for ${column}`}
        data={[
          ...(choice ? [] : [{ value: '', label: 'Choose…' }]),
          { value: 'nothing', label: "Don't import" },
          { value: 'attribute', label: 'Attribute' },
          ...optionsOf(fieldNames),
        ]}
        value={choice?.fills === 'field' ? choice.field : (choice?.fills ?? '')}
        error={isSubmitted && !choice}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {choice?.fills === 'attribute' && (
        <>
          <TextInput
            size="xs"
            aria-label={`Attribute for ${column}`}
            value={choice.key}
            onChange={(event) => onChange({ ...choice, key: event.currentTarget.value })}
          />
          <NativeSelect
            size="xs"
            aria-label={`Type of ${column}`}
            data={[...(choice.type === undefined ? [{ value: '', label: 'Existing type' }] : []), ...optionsOf(attributeTypes)]}
            value={choice.type ?? ''}
            onChange={(event) => onChange(ofType(choice, optionIn(attributeTypes, event.currentTarget.value) ?? choice.type, cells))}
          />
        </>
      )}
      {choice?.fills === 'attribute' && <DateOrderField column={column} choice={choice} cells={cells} onChange={onChange} />}
      {choice?.fills === 'field' && choice.field === 'full_name' && <SplitNames cells={cells} />}
    </div>
  );
}
