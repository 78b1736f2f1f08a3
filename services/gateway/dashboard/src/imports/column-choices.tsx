import { NativeSelect, Table, Text, TextInput } from '@mantine/core';
import { optionIn, optionsOf } from '../form/options.ts';
import classes from './column-choices.module.css';
import { attributeTypes, byName, type ColumnChoice, keyOf, members } from './import-draft.ts';

type Choices = Readonly<Record<string, ColumnChoice>>;
type Props = {
  columns: readonly string[];
  examples: readonly string[];
  choices: Choices;
  onChange: (choices: Record<string, ColumnChoice>) => void;
};

/** What each column of a file fills. What is not said goes by the column's name, as the API reads it. */
export function ColumnChoices({ columns, examples, choices, onChange }: Props) {
  return (
    <div className={classes.scroll}>
      <Table aria-label="Columns" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Column</Table.Th>
            <Table.Th>First row</Table.Th>
            <Table.Th>Fills</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {columns.map((column, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity, and never move.
            <Table.Tr key={`${index} ${column}`}>
              <Table.Th scope="row" className={classes.word}>
                {column}
              </Table.Th>
              <Table.Td className={classes.word}>
                <Text span inherit c="dimmed">
                  {examples[index]}
                </Text>
              </Table.Td>
              <Table.Td className={classes.choice}>
                <Choice
                  column={column}
                  choice={choices[column] ?? byName}
                  onChange={(choice) => onChange({ ...choices, [column]: choice })}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type ChoiceProps = { column: string; choice: ColumnChoice; onChange: (choice: ColumnChoice) => void };

function Choice({ column, choice, onChange }: ChoiceProps) {
  const choose = (value: string) => {
    if (value === 'attribute') onChange({ fills: 'attribute', key: keyOf(column), type: 'string' });
    else if (value === 'nothing' || value === 'by name') onChange({ fills: value });
    else onChange({ fills: 'member', member: value });
  };
  return (
    <div className={classes.fields}>
      <NativeSelect
        size="xs"
        aria-label={`What ${column} fills`}
        data={[
          { value: 'by name', label: 'By its name' },
          { value: 'nothing', label: 'Nothing: leave it out' },
          { value: 'attribute', label: 'An attribute' },
          ...optionsOf(members),
        ]}
        value={choice.fills === 'member' ? choice.member : choice.fills}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {choice.fills === 'attribute' && (
        <>
          <TextInput
            size="xs"
            aria-label={`Attribute that ${column} fills`}
            value={choice.key}
            onChange={(event) => onChange({ ...choice, key: event.currentTarget.value })}
          />
          <NativeSelect
            size="xs"
            aria-label={`Type of ${column}`}
            data={optionsOf(attributeTypes)}
            value={choice.type}
            onChange={(event) => onChange({ ...choice, type: optionIn(attributeTypes, event.currentTarget.value) ?? choice.type })}
          />
        </>
      )}
    </div>
  );
}
