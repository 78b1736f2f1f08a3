import { FormFlooded } from '@mp/contracts/events/contacts';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import type { PublicForm } from './form-cache.ts';
import type { FormsStore } from './forms-store.ts';

const everyMs = 60 * 60_000;
/** In each process, so that a submission of a flood costs no transaction. */
const attempts = { perSecond: 1 / 60, burst: 1, max: 10_000 };

export type NoteFlood = ReturnType<typeof createNoteFlood>;

/** Notes that a form is flooded, and publishes it once an hour. */
export function createNoteFlood({ mongo, outbox, forms }: { mongo: Mongo; outbox: Outbox; forms: Pick<FormsStore, 'noteFlood'> }) {
  const tried = createTokenBuckets(attempts);

  return async ({ accountId, form }: PublicForm, { requestId, at: now }: { requestId: string; at: Date }): Promise<void> => {
    if (tried.take(form.id, 1) > 0) return;
    await mongo.transaction({ correlationId: requestId, causationId: null }, async (tx) => {
      if (!(await forms.noteFlood(tx, accountId, { id: form.id, now, everyMs }))) return;
      const { id: form_id, name: form_name, limits } = form;
      const { confirmations_per_hour } = limits;
      await outbox.add(tx, FormFlooded, accountId, { form_id, form_name, confirmations_per_hour, at: now.toISOString() });
    });
  };
}
