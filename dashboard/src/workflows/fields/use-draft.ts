import { useState } from 'react';
import { isEqual } from '../../json/is-equal.ts';

/**
 * What is typed, beside the value that it means: the two differ while something is incomplete. The draft follows the value
 * when that changes from elsewhere, as by undo.
 */
export function useDraft<Value, Draft>(
  value: Value,
  onChange: (value: Value) => void,
  { read, write }: { read: (value: Value) => Draft; write: (draft: Draft) => Value },
): [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState(() => read(value));
  const means = write(draft);
  const isCurrent = isEqual(means, value) || isEqual(means, write(read(value)));
  const change = (next: Draft) => {
    setDraft(next);
    const meant = write(next);
    if (!isEqual(meant, value)) onChange(meant);
  };
  return [isCurrent ? draft : read(value), change];
}
