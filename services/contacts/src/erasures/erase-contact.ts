import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { Erase } from './erase.ts';
import { Erasure } from './erasure.ts';

const EraseBody = z.strictObject({
  suppress: z
    .boolean()
    .default(false)
    .describe(
      'Also never write to the address again. One that was suppressed or unsubscribed stays so in any case, by its hash alone. ' +
        'An address that a merged contact had and another contact has by now is theirs, and stays as it is.',
    ),
});

type Deps = { contacts: ContactsStore; erase: Erase; transact: Transact };

export function eraseContact(app: Server, { contacts, erase, transact }: Deps) {
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
        const erasure = await erase(tx, accountId, contact, { suppress: request.body.suppress });
        return { status: 202, data: erasure, location: `/v2/contacts/erasures/${erasure.id}` };
      }),
  );
}
