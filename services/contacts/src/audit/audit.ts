import { ContactsAudited } from '@mp/contracts/events/contacts';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { z } from 'zod';

/** Whose action it is. An application that several users have connected is one caller; `createdBy` is the user. */
export type Actor = Pick<Principal, 'accountId' | 'id' | 'createdBy'>;

type Entry = Pick<z.input<(typeof ContactsAudited)['data']>, 'action' | 'target_id'> & { details?: Record<string, unknown> };

export type Audit = ReturnType<typeof createAudit>;

/** Adds what somebody did to the audit log, in the transaction that does it. */
export const createAudit =
  (outbox: Pick<Outbox, 'add'>) =>
  (tx: Transaction, { accountId, id, createdBy }: Actor, { action, target_id, details }: Entry) =>
    outbox.add(tx, ContactsAudited, accountId, {
      ...{ actor_id: id, action, target_id },
      details: { ...details, ...(createdBy !== undefined && { on_behalf_of: createdBy }) },
    });
