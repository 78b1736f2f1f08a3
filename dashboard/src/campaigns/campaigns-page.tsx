import { Group, Text } from '@mantine/core';
import { IconMail, IconPencil, IconPlus, IconUsers } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { subjectInWords } from '../email-design/merge-fields.ts';
import { ChoiceChip } from '../lists/chips.tsx';
import { ListPage } from '../lists/list-page.tsx';
import { ListSearch } from '../lists/list-search.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowAction } from '../lists/row-actions.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count, shareInColumn } from '../numbers/format-number.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ListViews } from '../views/list-views.tsx';
import { campaignSearch, campaignStatuses } from './campaign-search.ts';
import { CampaignStatus, statusLabel } from './campaign-status.tsx';
import { type CampaignSummary, isBegun, isEditable, useCampaigns } from './campaigns.ts';
import { MailboxLink } from './mailbox-link.tsx';
import { useCampaignMetrics } from './report.ts';

const columnsOf = (q: string | undefined): readonly Column<CampaignSummary>[] => [
  {
    name: 'Campaign',
    width: 'minmax(0, 3fr)',
    cell: ({ id, name, subject }) => (
      <RowLink to="/campaigns/$id" params={{ id }} under={subjectInWords(subject)}>
        {name}
      </RowLink>
    ),
  },
  { name: 'Status', width: '154px', cell: ({ status }) => <CampaignStatus status={status} /> },
  {
    name: 'Recipients',
    width: '110px',
    alignEnd: true,
    wideOnly: true,
    cell: ({ audience_count }) => (audience_count === null ? '–' : count(audience_count)),
  },
  { name: 'Opened', width: '92px', alignEnd: true, cell: (campaign) => <Rate campaign={campaign} of="open" /> },
  { name: 'Clicked', width: '92px', alignEnd: true, wideOnly: true, cell: (campaign) => <Rate campaign={campaign} of="click" /> },
  { name: 'Created', width: '138px', wideOnly: true, sort: 'created_at', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  {
    name: 'Updated',
    width: '138px',
    wideOnly: true,
    // A search can only be sorted by when campaigns were created.
    ...(q === undefined && { sort: 'updated_at' }),
    cell: ({ updated_at }) => <RelativeTime at={updated_at} />,
  },
];

/** The open or click rate of a campaign that was sent. */
function Rate({ campaign: { id, audience_count }, of }: { campaign: CampaignSummary; of: 'open' | 'click' }) {
  const { data } = useCampaignMetrics(audience_count ? id : undefined);
  return data && data.counts.accepted > 0 ? shareInColumn(data.rates[of]?.value) : '–';
}

export function CampaignsPage() {
  const search = useSearch({ from: '/signed-in/campaigns' });
  const navigate = useNavigate();
  const { mayWrite } = usePermission('campaigns');
  const campaigns = useCampaigns(search);
  const isNarrowed = search.q !== undefined || search.status !== undefined;
  const show = (next: Record<string, unknown>) => void navigate({ to: '/campaigns', search: campaignSearch(next) });

  return (
    <ListPage
      title="Campaigns"
      describes="One-off emails to your segments, with a result for every recipient."
      action={
        <Group gap="sm">
          <MailboxLink />
          {mayWrite && (
            <ButtonLink to="/campaigns/new" leftSection={<IconPlus size={16} aria-hidden />}>
              New campaign
            </ButtonLink>
          )}
        </Group>
      }
      of="campaigns"
      list={campaigns}
      columns={columnsOf(search.q)}
      sort={search.sort ?? '-created_at'}
      onSort={(sort) => show({ ...search, sort })}
      empty={isNarrowed ? <Text c="dimmed">No campaigns match these filters.</Text> : <NoCampaigns />}
      filters={
        (campaigns.isPending || campaigns.rows.length > 0 || isNarrowed) && (
          <>
            <ListSearch placeholder="Search by name" q={search.q} onSearch={(q) => show({ ...search, q })} />
            <ChoiceChip
              label="Status"
              choices={campaignStatuses.map((value) => ({ value, label: statusLabel(value) }))}
              value={search.status}
              onChange={(status) => show({ ...search, status })}
            />
          </>
        )
      }
      views={<ListViews of="campaigns" search={search} isNarrowed={isNarrowed} parse={campaignSearch} onShow={show} />}
      actions={({ id, status }) =>
        isEditable(status)
          ? mayWrite && (
              <RowAction label="Edit campaign" to="/campaigns/$id/edit" params={{ id }}>
                <IconPencil size={16} stroke={1.7} aria-hidden />
              </RowAction>
            )
          : isBegun(status) && (
              <RowAction label="Show recipients" to="/campaigns/$id/recipients" params={{ id }}>
                <IconUsers size={16} stroke={1.7} aria-hidden />
              </RowAction>
            )
      }
    />
  );
}

const NoCampaigns = () => {
  const { mayWrite } = usePermission('campaigns');
  return (
    <EmptyState
      title="No campaigns yet"
      icon={IconMail}
      action={mayWrite && <ButtonLink to="/campaigns/new">Create a campaign</ButtonLink>}
    >
      A campaign sends one email, such as a newsletter, to everyone in your segments.
    </EmptyState>
  );
};
