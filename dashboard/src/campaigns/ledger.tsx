import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count } from '../numbers/format-number.ts';
import { usePermission } from '../session/permission.ts';
import { Panel } from '../shell/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Campaign, type Recipient, type RecipientState, useLedger, useResolveUnknown } from './campaigns.ts';
import { RecipientStatus, recipientStates, stateWord } from './recipient-status.tsx';
import { skipReasonWords } from './skip-reasons.ts';

const columnsOf = (campaignId: string): readonly Column<Recipient>[] => [
  {
    name: 'Recipient',
    width: 'minmax(0, 2fr)',
    cell: ({ contact_id, address }) => (
      <RowLink to="/campaigns/$id/messages/$contactId" params={{ id: campaignId, contactId: contact_id }}>
        {address ?? contact_id}
      </RowLink>
    ),
  },
  { name: 'Status', width: '140px', cell: ({ state }) => <RecipientStatus state={state} /> },
  { name: 'Reason', width: 'minmax(0, 1.4fr)', wideOnly: true, cell: ({ reason, detail }) => (reason ? skipReasonWords(reason) : detail) },
  { name: 'Updated', width: '138px', wideOnly: true, cell: ({ updated_at }) => <RelativeTime at={updated_at} /> },
];

/** Every recipient once, with its state. The states always add up to the audience. */
export function Ledger({ campaign }: { campaign: Pick<Campaign, 'id' | 'status'> }) {
  const [state, setState] = useState<RecipientState>();
  const ledger = useLedger(campaign, state);
  const { mayWrite } = usePermission();
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
              ? `– all ${count(reconciliation.audience_count)} recipients accounted for.`
              : `of ${count(reconciliation.audience_count)} recipients so far.`}
          </Text>
        )}
        {unknown > 0 && mayWrite && <Unknown id={campaign.id} amount={unknown} />}
        <NativeSelect
          label="Status"
          w={200}
          data={[{ value: '', label: 'All' }, ...recipientStates.map((value) => ({ value, label: stateWord(value) }))]}
          value={state ?? ''}
          onChange={(event) => setState(recipientStates.find((one) => one === event.currentTarget.value))}
        />
        <ListView
          of="recipients"
          list={ledger}
          columns={columnsOf(campaign.id)}
          keyOf={({ id }) => id}
          empty={
            <Text size="sm" c="dimmed">
              No recipients with this status.
            </Text>
          }
        />
      </Stack>
    </Panel>
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
