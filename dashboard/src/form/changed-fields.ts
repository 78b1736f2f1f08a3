import { isEqual } from '../json/is-equal.ts';

/** The fields whose values differ from those before, so that saving them does not undo what another user changed in the meantime. */
export function changedFields<Fields extends object>(before: Fields, values: Fields): Partial<Fields> {
  const changed = { ...values };
  for (const name in changed) if (isEqual(changed[name], before[name])) delete changed[name];
  return changed;
}
