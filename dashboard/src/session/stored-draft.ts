/** What was typed into a form and is not saved, in the storage of the browser. */
export type StoredDraft<Values> = { values: Values; at: string; revision: number | null };

/** A user of an account. Users of the same browser do not see the drafts of each other. */
type Owner = { accountId: string; userId: string };

const prefix = 'mp draft ';
const prefixOf = ({ accountId, userId }: Owner) => `${prefix}${accountId} ${userId} `;

/** Where the draft of a form is stored. */
export const draftKey = (owner: Owner, name: string) => prefixOf(owner) + name;

/** The draft of a form, if there is one with the fields that the form has now, and with a change. */
export function readDraft<Values extends object>(key: string, initial: Values): StoredDraft<Values> | undefined {
  try {
    const draft: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isDraftOf(initial, draft) && JSON.stringify(draft.values) !== JSON.stringify(initial) ? draft : undefined;
  } catch {
    return undefined;
  }
}

export function writeDraft<Values>(key: string, draft: StoredDraft<Values>) {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // The storage is full or forbidden; the page still asks before it is left.
  }
}

export function removeDraft(key: string) {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing is stored where storage is forbidden.
  }
}

/** Removes all drafts, or only those that others left at this browser: the next person must not read them. */
export function removeDrafts({ except }: { except?: Owner } = {}) {
  try {
    const isTheirs = (key: string) => key.startsWith(prefix) && !(except && key.startsWith(prefixOf(except)));
    for (const key of Object.keys(localStorage).filter(isTheirs)) localStorage.removeItem(key);
  } catch {
    // Nothing is stored where storage is forbidden.
  }
}

function isDraftOf<Values extends object>(initial: Values, draft: unknown): draft is StoredDraft<Values> {
  if (!isObject(draft) || !('values' in draft) || !isObject(draft.values)) return false;
  const fields = Object.keys(initial);
  const stored = Object.keys(draft.values);
  return fields.length === stored.length && fields.every((field) => stored.includes(field));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
