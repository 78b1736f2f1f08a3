import { Contact } from '@mp/contracts/contact';

const readOnly = new Set(['id', 'status', 'revision', 'created_at', 'updated_at', 'last_seen_at']);

/** The contact fields that a step can set. */
export const writableFields: ReadonlySet<string> = new Set(Object.keys(Contact.shape).filter((name) => !readOnly.has(name)));
