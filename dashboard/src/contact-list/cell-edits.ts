import type { Contact } from '../contacts/contacts.ts';

/** An open edit: the contact as it was when the edit began, and what is typed. */
export type CellEdit = { base: Contact; text: string; error?: string };

/** The open edits of a list by cell. They are kept while their rows are out of view and not rendered. */
export function createCellEdits() {
  const edits = new Map<string, CellEdit>();
  const listeners = new Map<string, () => void>();
  let onCount: () => void = () => undefined;

  return {
    count: () => edits.size,
    /** One listener at a time, called when the number of open edits may have changed. */
    subscribeToCount(listener: () => void) {
      onCount = listener;
      return () => {
        onCount = () => undefined;
      };
    },
    get: (key: string) => edits.get(key),
    /** Whether the cell is rendered. */
    isShown: (key: string) => listeners.has(key),
    set(key: string, edit: CellEdit) {
      edits.set(key, edit);
      listeners.get(key)?.();
      onCount();
    },
    remove(key: string) {
      edits.delete(key);
      listeners.get(key)?.();
      onCount();
    },
    subscribe(key: string, listener: () => void) {
      listeners.set(key, listener);
      return () => {
        if (listeners.get(key) === listener) listeners.delete(key);
      };
    },
  };
}
