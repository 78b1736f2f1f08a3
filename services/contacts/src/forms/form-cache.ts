import type { AccountId, FormId } from '@mp/ids';
import type { Form } from './form.ts';

/** A form with its account, as a visitor's request finds it. */
export type PublicForm = { accountId: AccountId; form: Form };

const freshMs = 1_000;
const maxKept = 1_000;

/** Forms as visitors find them. Each is read at most once a second in each process, so that requests of a flood cost no reads. */
export function createFormCache(read: (id: FormId) => Promise<PublicForm | undefined>) {
  const kept = new Map<FormId, { found: Promise<PublicForm | undefined>; until: number }>();
  return {
    find(id: FormId): Promise<PublicForm | undefined> {
      const known = kept.get(id);
      if (known && known.until > Date.now()) return known.found;
      if (kept.size >= maxKept) kept.clear();
      const found = read(id);
      kept.set(id, { found, until: Date.now() + freshMs });
      found.catch(() => kept.delete(id));
      return found;
    },

    /** After a change of the form, which this process then shows at once. */
    forget: (id: FormId) => void kept.delete(id),
  };
}
