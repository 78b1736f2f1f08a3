import { useState } from 'react';
import { isEqual } from '../../json/is-equal.ts';

/**
 * The typed text, kept beside its value because the two differ while the text is incomplete. The draft follows the value when that is changed elsewhere, such as by undo.
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
