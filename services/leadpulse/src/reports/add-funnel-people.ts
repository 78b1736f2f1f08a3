import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { segmentId } from '@mp/contracts/ids';
import { refusal } from '@mp/contracts/permissions';
import { SegmentMembersAdd } from '@mp/contracts/requests/segments';
import { type ContactId, trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { ClaimFirst } from '@mp/service-kit/claim-first';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { funnelPeopleFields, isContact, type PeopleStores, readFunnelPeople } from './funnel-people.ts';
import { maxEventsNow } from './run-report.ts';

const maxPeople = 10_000;

/** Contacts per request to segments. */
const chunk = 500;

const Body = z.strictObject({
  ...funnelPeopleFields,
  segment_id: segmentId.max(64).describe('The static segment that the contacts are added to.'),
});

const Added = z
  .object({
    segment_id: segmentId.describe('The ID of the segment.'),
    added: z.number().int().describe('The contacts that were added.'),
    already_members: z.number().int().describe('The contacts that were already members.'),
    without_contact: z.number().int().describe('The visitors without a contact. A segment contains only contacts.'),
  })
  .meta({ id: 'AddedFunnelPeople' });

type Deps = PeopleStores & { broker: Pick<Broker, 'request'>; claimFirst: ClaimFirst };

export function addFunnelPeople(app: Server, { broker, claimFirst, ...stores }: Deps) {
  app.post(
    '/v2/leadpulse/funnels/segment',
    {
      config: { scope: 'leadpulse:write' },
      schema: {
        operationId: 'addFunnelPeople',
        summary: 'Add the people at a funnel step to a segment',
        description:
          'Adds the contacts among the people that `POST /v2/leadpulse/funnels/people` lists to a static segment, such as those who dropped off ' +
          `after a step. At most ${maxPeople.toLocaleString('en')} people, from at most ${maxEventsNow.toLocaleString('en')} events. ` +
          'Also requires the scope `segments:write`. A repeated request adds those who were not added before.',
        body: Body,
        response: { 200: success(Added) },
      },
    },
    (request, reply) =>
      claimFirst(request, reply, async () => {
        const { accountId, id: by } = request.principal;
        const { segment_id, ...body } = request.body;
        const forbidden = refusal(request.principal, 'POST', 'segments:write');
        if (forbidden !== undefined) throw new ApiError('FORBIDDEN', forbidden);
        const add = async (contact_ids: ContactId[]) => {
          const { refused, items } = await broker.request(SegmentMembersAdd, { account_id: accountId, segment_id, contact_ids, by });
          if (refused !== null) throw invalid('/segment_id', 'unusable_segment', refused);
          return items;
        };

        // An unusable segment is reported even if no contacts are to be added.
        await add([]);
        const people = await readFunnelPeople(stores, accountId, body, { limit: maxPeople + 1 });
        if (people.length > maxPeople)
          throw invalid('/from', 'too_many_people', `The step has more than ${maxPeople} people; use a shorter range.`);
        const contactIds = people.filter(isContact).map(({ person }) => trustedId<'contact'>(person));
        const counts = { added: 0, already_members: 0 };
        for (let from = 0; from < contactIds.length; from += chunk) {
          for (const { status } of await add(contactIds.slice(from, from + chunk))) {
            if (status === 'added') counts.added += 1;
            if (status === 'already_member') counts.already_members += 1;
          }
        }
        return { status: 200, data: { segment_id, ...counts, without_contact: people.length - contactIds.length } };
      }),
  );
}
