import { success } from '@mp/contracts/envelope';
import { segmentId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { segmentBodyLimit } from '../segments/segment-body.ts';
import { changeNamedContacts, type Deps } from './change-named-contacts.ts';
import { MemberResults } from './member-results.ts';
import { NamedContacts } from './named-contacts.ts';

export function addSegmentContacts(app: Server, deps: Deps & { transact: Transact }) {
  app.post(
    '/v2/segments/:id/contacts',
    {
      config: { scope: 'segments:write', bodyLimit: segmentBodyLimit },
      schema: {
        operationId: 'addSegmentContacts',
        summary: 'Add contacts to a static segment',
        description:
          'Adds up to 1,000 contacts in one transaction and returns a result for each. Contacts that are members already, and contacts that the ' +
          'account does not have, change nothing. Fails with 409 for a dynamic segment, and while a static segment copies its members.',
        params: z.object({ id: segmentId }),
        body: NamedContacts,
        response: { 200: success(MemberResults) },
      },
    },
    (request, reply) => {
      const { accountId, id: by } = request.principal;
      const change = { accountId, segmentId: request.params.id, contacts: request.body.contacts, to: 'inside' as const, by };
      const { work, before } = changeNamedContacts(deps, change);
      return deps.transact(request, reply, work, { before });
    },
  );
}
