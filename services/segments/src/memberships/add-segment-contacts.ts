import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { FindContacts } from '../profiles/find-contacts.ts';
import { segmentBodyLimit } from '../segments/segment-body.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import { type ChangeMembers, requireStatic } from './change-members.ts';
import { MemberResults, memberResults, NamedContacts } from './named-contacts.ts';

type Deps = { segments: SegmentsStore; findContacts: FindContacts; changeMembers: ChangeMembers; transact: Transact };

export function addSegmentContacts(app: Server, { segments, findContacts, changeMembers, transact }: Deps) {
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
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        body: NamedContacts,
        response: { 200: success(MemberResults) },
      },
    },
    (request, reply) => {
      const { accountId, id: by } = request.principal;
      let found: (string | undefined)[] = [];
      return transact(
        request,
        reply,
        async (tx) => {
          const segment = await segments.get(accountId, request.params.id, tx);
          requireStatic(segment);
          const contactIds = [...new Set(found.flatMap((id) => id ?? []))];
          const reason = { cause: 'manual' as const, by };
          const changed = await changeMembers(tx, accountId, segment, { to: 'inside', contactIds, reason });
          return { status: 200, data: memberResults(segment.id, found, changed, ['added', 'already_member']) };
        },
        {
          // Looks up contacts only if the request can succeed.
          before: async () => {
            requireStatic(await segments.get(accountId, request.params.id));
            found = await findContacts(accountId, request.body.contacts);
          },
        },
      );
    },
  );
}
