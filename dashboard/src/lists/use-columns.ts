import { useLocalStorage } from '@mantine/hooks';
import type { Column } from './list-table.tsx';

/** The visible columns of a list, kept in this browser. The first column is always visible. */
export function useColumns<Row>(list: string, columns: readonly Column<Row>[]) {
  const [first, ...others] = columns;
  const usual = others.filter(({ isExtra }) => !isExtra).map(({ name }) => name);
  const [shown, setShown] = useLocalStorage({ key: `mp-columns-${list}`, defaultValue: usual, getInitialValueInEffect: false });
  return {
    columns: [...(first ? [first] : []), ...others.filter(({ name }) => shown.includes(name))],
    choices: others.map(({ name }) => name),
    shown,
    setShown,
  };
}
