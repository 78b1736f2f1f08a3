import { ownColumns } from '@mp/contracts/import-columns';
import { type ColumnChoice, type ColumnChoices, type ContactField, choicesByName, keyOf } from './column-mapping.ts';
import { targetOfHeader } from './translated-headers.ts';
import { guessOf } from './value-guess.ts';

/** The cells of a column of these rows. */
export const cellsOf = (rows: readonly (readonly string[])[], index: number) => rows.map((row) => row[index] ?? '');

/** What a column becomes that fills no field: an attribute of the type that its values have. */
export function attributeGuess(column: string, cells: readonly string[]): ColumnChoice {
  const guess = guessOf(cells);
  const { type, order } = guess?.kind === 'attribute' ? guess : { type: 'string' as const, order: undefined };
  return { fills: 'attribute', key: keyOf(column), type, ...(order && { order }) };
}

/**
 * The choices that the headers and the values suggest: by the names that the API knows, by the names in ten languages, then by the
 * values. No field is filled twice. What nothing suggests stays undecided, so that no data is dropped silently.
 */
export function guessedChoices(columns: readonly string[], rows: readonly (readonly string[])[]): ColumnChoices {
  const choices: Record<string, ColumnChoice> = { ...choicesByName(columns) };
  const taken = new Set(Object.values(choices).flatMap((choice) => (choice.fills === 'field' ? [choice.field] : [])));
  const fill = (column: string, field: ContactField) => {
    if (taken.has(field)) return;
    taken.add(field);
    choices[column] = { fills: 'field', field };
  };
  const own = ownColumns(columns);
  const open = columns.map((column, index) => ({ column, index })).filter(({ column, index }) => index >= own && !choices[column]);
  const named = open.map((one) => ({ ...one, target: targetOfHeader(one.column) }));
  for (const { column, target } of named) if (target && target !== 'full_name') fill(column, target);
  // Beside a column of first names, "Name" is the last name; beside both it is neither.
  for (const { column, target } of named) {
    if (target !== 'full_name') continue;
    if (taken.has('first_name')) fill(column, 'last_name');
    else if (!taken.has('last_name')) fill(column, 'full_name');
  }
  for (const { column, index } of open) {
    const guess = choices[column] ? undefined : guessOf(cellsOf(rows, index));
    if (guess?.kind === 'email' || guess?.kind === 'phone') fill(column, guess.kind);
    if (guess?.kind === 'country') fill(column, 'address.country');
  }
  return choices;
}
