import { Button } from '@mantine/core';
import { BuyerList } from '../campaigns/buyer-list.tsx';
import { type Campaign, useLedger } from '../campaigns/campaigns.ts';
import { ContactName } from '../contacts/contact-name.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { audiences, useSegmentFrom } from '../segments/segment-of-recipients.ts';
import { usePermission } from '../session/permission.ts';

const bought = { engagement: 'converted' } as const;

/** To whom a campaign sold: its recipients with a conversion, and what each of them ordered. */
export function Buyers({ campaign }: { campaign: Campaign }) {
  const buyers = useLedger(campaign, bought);
  const { mayWrite } = usePermission('segments');
  const { mutate, isPending } = useSegmentFrom(campaign);
  const audience = audiences.find(({ did }) => did === 'converted');

  return (
    <BuyerList
      list={buyers}
      named={({ contact_id, address }) => (
        <RowLink to="/campaigns/$id/messages/$contactId" params={{ id: campaign.id, contactId: contact_id }}>
          {address ?? <ContactName id={contact_id} />}
        </RowLink>
      )}
      exportUrl={`/v2/campaigns/${campaign.id}/ledger/export?${new URLSearchParams(bought)}`}
      action={
        mayWrite &&
        audience && (
          <Button size="xs" variant="default" loading={isPending} onClick={() => mutate(audience)}>
            Create segment from buyers
          </Button>
        )
      }
      empty="No recipient has bought anything after a click in this email yet."
    />
  );
}
