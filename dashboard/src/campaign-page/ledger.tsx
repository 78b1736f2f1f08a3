import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type Campaign, type LedgerFilter, type Recipient, useLedger, useResolveUnknown } from '../campaigns/campaigns.ts';
import { reasonOf } from '../campaigns/delivery-reasons.ts';
import { RecipientStatus, recipientStates, stateLabel } from '../campaigns/recipient-status.tsx';
import { ContactName } from '../contacts/contact-name.tsx';
import { optionIn, optionsOf } from '../form/options.ts';
import { ChoiceChip, Toolbar } from '../lists/chips.tsx';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count, counted } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { audiences, useSegmentFrom } from '../segments/segment-of-recipients.ts';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';

const coupon: Column<Recipient> = {
  name: 'Coupon',
  width: 'minmax(0, 1fr)',
  wideOnly: true,
  cell: ({ coupon_code }) => coupon_code ?? '',
};

const columnsOf = (campaignId: string, hasCoupon: boolean): readonly Column<Recipient>[] => [
  {
    name: 'Recipient',
    width: 'minmax(0, 2fr)',
    cell: ({ contact_id, address }) => (
      <RowLink to="/campaigns/$id/messages/$contactId" params={{ id: campaignId, contactId: contact_id }}>
        {address ?? <ContactName id={contact_id} />}
      </RowLink>
    ),
  },
  { name: 'Status', width: '140px', cell: ({ status }) => <RecipientStatus state={status} /> },
  { name: 'Reason', width: 'minmax(0, 1.4fr)', wideOnly: true, cell: reasonOf },
  ...(hasCoupon ? [coupon] : []),
  { name: 'Opens', width: '80px', wideOnly: true, alignEnd: true, cell: ({ opens }) => count(opens) },
  { name: 'Clicks', width: '80px', wideOnly: true, alignEnd: true, cell: ({ clicks }) => count(clicks) },
  { name: 'Updated', width: '138px', wideOnly: true, cell: ({ updated_at }) => <RelativeTime at={updated_at} /> },
];

/** The filters by engagement, named as the audiences of segments. */
const engagements = {
  opened: 'Opened it',
  clicked: 'Clicked a link',
  not_opened: "Didn't open it",
  converted: 'Bought or converted',
} as const;
type Engagement = keyof typeof engagements;

function filterOf(value: string): LedgerFilter {
  const state = recipientStates.find((one) => one === value);
  const engagement = optionIn(engagements, value);
  return { ...(state && { status: state }), ...(engagement && { engagement }) };
}

/** Every recipient once, with its state. The states always add up to the audience. */
export function Ledger({ campaign }: { campaign: Campaign }) {
  const [shown, setShown] = useState('');
  const filter = filterOf(shown);
  const ledger = useLedger(campaign, filter);
  const { may } = usePermission();
  const reconciliation = ledger.first?.reconciliation;
  const unknown = reconciliation?.states.unknown ?? 0;

  return (
    <Panel title="Recipients">
      <Stack gap="md">
        {reconciliation && (
          <Text size="sm">
            {Object.entries(reconciliation.states)
              .filter(([, value]) => value > 0)
              .map(([name, value]) => `${count(value)} ${name}`)
              .join(' + ')}{' '}
            = {count(reconciliation.sum)}{' '}
            {reconciliation.reconciles
              ? `– all ${counted(reconciliation.audience_count, 'recipient')} accounted for.`
              : `of ${counted(reconciliation.audience_count, 'recipient')} so far.`}
          </Text>
        )}
        {unknown > 0 && may('campaigns:send') && <Unknown id={campaign.id} amount={unknown} />}
        <Toolbar
          end={
            <>
              {filter.engagement && may('segments:write') && <CreateSegment campaign={campaign} engagement={filter.engagement} />}
              <Button
                component="a"
                size="xs"
                variant="default"
                leftSection={<IconDownload size={14} aria-hidden />}
                href={`/v2/campaigns/${campaign.id}/ledger/export?${new URLSearchParams(filter)}`}
                download
              >
                Export recipients
              </Button>
            </>
          }
        >
          <ChoiceChip
            label="Status"
            choices={[
              ...recipientStates.map((value) => ({ value, label: stateLabel(value) })),
              { group: 'Opens and clicks', choices: optionsOf(engagements) },
            ]}
            value={shown}
            onChange={setShown}
          />
        </Toolbar>
        <ListView
          of="recipients"
          list={ledger}
          columns={columnsOf(
            campaign.id,
            ledger.rows.some(({ coupon_code }) => coupon_code !== null),
          )}
          keyOf={({ id }) => id}
          empty={
            <Text size="sm" c="dimmed">
              No recipients match this filter.
            </Text>
          }
        />
      </Stack>
    </Panel>
  );
}

/** Creates a segment of the recipients that are shown. */
function CreateSegment({ campaign, engagement }: { campaign: Campaign; engagement: Engagement }) {
  const { mutate, isPending } = useSegmentFrom(campaign);
  const audience = audiences.find(({ name }) => name === engagements[engagement]);
  return (
    audience && (
      <Button size="xs" variant="default" loading={isPending} onClick={() => mutate(audience)}>
        Create a segment
      </Button>
    )
  );
}

function Unknown({ id, amount }: { id: string; amount: number }) {
  const { mutate, isPending, error } = useResolveUnknown(id);
  return (
    <Alert color="yellow" title={`Delivery unknown: ${count(amount)}`}>
      <Text size="sm">
        The connection was lost while these emails were being sent. If you resend them, some recipients may get the email twice.
      </Text>
      {error && <ErrorAlert error={error} title="Couldn't update the recipients" />}
      <Group mt="sm" gap="sm">
        <Button size="xs" variant="default" loading={isPending} onClick={() => mutate('leave')}>
          Leave as unknown
        </Button>
        <Button size="xs" variant="default" loading={isPending} onClick={() => mutate('resend')}>
          Resend
        </Button>
      </Group>
    </Alert>
  );
}
