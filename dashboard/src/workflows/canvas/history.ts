/** The states of a document before and after the present one. Edits with the same tag, such as letters in one field, are undone together. */
export type History<T> = { past: readonly T[]; present: T; future: readonly T[]; tag: string | null };

const maxPast = 200;

export const historyOf = <T>(present: T): History<T> => ({ past: [], present, future: [], tag: null });

export function record<T>(history: History<T>, present: T, tag: string | null = null): History<T> {
  if (present === history.present) return history;
  const continues = tag !== null && tag === history.tag;
  const past = continues ? history.past : [...history.past, history.present].slice(-maxPast);
  return { past, present, future: [], tag };
}

export function undo<T>(history: History<T>): History<T> {
  const { past, present, future } = history;
  const [before] = past.slice(-1);
  return before === undefined ? history : { past: past.slice(0, -1), present: before, future: [present, ...future], tag: null };
}

export function redo<T>(history: History<T>): History<T> {
  const { past, present, future } = history;
  const [next, ...later] = future;
  return next === undefined ? history : { past: [...past, present], present: next, future: later, tag: null };
}
