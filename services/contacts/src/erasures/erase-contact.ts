import { emailKey, suppressionHash } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ContactErased } from '@mp/contracts/events/contacts';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Outbox } from '@mp/service-kit/outbox';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { RemoveContact } from '../contacts/save-contacts.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { StatusRefreshesStore } from '../suppressions/status-refreshes-store.ts';
import type { SuppressionsStore } from '../suppressions/suppressions-store.ts';
import { Erasure } from './erasure.ts';
import type { ErasuresStore } from './erasures-store.ts';
import type { LeftoversStore } from './leftovers-store.ts';

const EraseBody = z.strictObject({
  suppress: z
    .boolean()
    .default(false)
    .describe(
      'Also never write to the address again. One that was suppressed or unsubscribed stays so in any case, by its hash alone. ' +
        'An address that a merged contact had and another contact has by now is theirs, and stays as it is.',
    ),
});

type Deps = {
  contacts: ContactsStore;
  merges: MergesStore;
  suppressions: SuppressionsStore;
  refreshes: StatusRefreshesStore;
  erasures: ErasuresStore;
  leftovers: LeftoversStore;
  removeContact: RemoveContact;
  outbox: Outbox;
  transact: Transact;
  wake: () => void;
};

export function eraseContact(app: Server, deps: Deps) {
  const { contacts, merges, suppressions, refreshes, erasures, leftovers, removeContact, outbox, transact, wake } = deps;
  app.post(
    '/v2/contacts/:id/erase',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'eraseContact',
        summary: 'Erase a contact',
        description:
          'The contact is gone at once, and with it, within a moment, all that any service kept of it: history, consent log, merges, what streams and ' +
          'queues still held. Each service confirms; the erasure that is answered (202) is the receipt. It cannot be undone.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        body: EraseBody,
        response: { 202: success(Erasure) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const contact = await contacts.getUnmerged(accountId, request.params.id, tx);
        requireMatch(request, contact);
        const ids = await contacts.idsOf(accountId, contact.id, tx);
        const absorbed = await merges.absorbed(accountId, ids, tx);
        const addressed = [contact, ...absorbed].flatMap(({ email, ...rest }) => (email === null ? [] : { email, ...rest }));
        const holders = await contacts.findByIdentities(
          tx,
          accountId,
          addressed.map(({ email }) => ({ email })),
        );
        const others = new Set(holders.flatMap(({ id, email }) => (id === contact.id || email === null ? [] : emailKey(email))));
        // What somebody else has by now is theirs, whoever had it before.
        const own = addressed.filter(({ email }) => !others.has(emailKey(email)));
        for (const { email, status, consent } of own) {
          await suppressions.forgetValue(tx, accountId, email);
          await refreshes.forget(tx, accountId, emailKey(email));
          // Whoever withdrew as the merged contact meant every address of theirs.
          const isUnwanted = status !== 'active' || [contact, { consent }].some((one) => one.consent.email?.status === 'unsubscribed');
          if (!request.body.suppress && !isUnwanted) continue;
          await suppressions.add(tx, accountId, { kind: 'email', value: emailKey(email), reason: 'manual', note: null, hashOnly: true });
        }
        const hashes = own.map(({ email }) => suppressionHash(accountId, 'email', email));
        const erasure = await erasures.add(tx, accountId, contact, ids, hashes);
        await leftovers.add(tx, accountId, ids);
        await removeContact(tx, accountId, contact, { mergedIds: ids.slice(1), erased: true });
        await outbox.add(tx, ContactErased, accountId, {
          erasure_id: erasure.id,
          contact_id: contact.id,
          merged_ids: ids.slice(1),
          revision: contact.revision + 1,
        });
        tx.afterCommit(wake);
        return { status: 202, data: erasure, location: `/v2/contacts/erasures/${erasure.id}` };
      }),
  );
}
