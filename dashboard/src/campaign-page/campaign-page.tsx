import { Alert, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { CampaignPreview } from '../campaign-editor/campaign-preview.tsx';
import { conversionLabel } from '../campaign-editor/conversion-labels.ts';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { type Campaign, isBegun as hasBegun, useCampaign } from '../campaigns/campaigns.ts';
import { useNames } from '../names/names.ts';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { Buyers } from './buyers.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignApproval } from './campaign-approval.tsx';
import { CampaignProgress } from './campaign-progress.tsx';
import { CampaignReport } from './campaign-report.tsx';
import { CampaignRates, CampaignResults } from './campaign-results.tsx';
import { Ledger } from './ledger.tsx';

export function CampaignPage() {
  const { id } = useParams({ from: '/signed-in/campaigns/$id' });
  const query = useCampaign(id);
  const { data: campaign } = query;
  const { may, mayWrite } = usePermission('campaigns');
  return (
    <Page
      title={campaign?.name ?? 'Campaign'}
      describes={campaign?.subject}
      back={<BackLink to="/campaigns">Campaigns</BackLink>}
      action={campaign && (mayWrite || may('campaigns:send')) && <CampaignActions campaign={campaign} />}
    >
      <Loaded of="the campaign" shape="report" query={query}>
        {(loaded) => <About campaign={loaded} />}
      </Loaded>
    </Page>
  );
}

function About({ campaign }: { campaign: Campaign }) {
  const { named } = useNames();
  const { status, status_reason, problem, audience, from } = campaign;
  const audienceLabel = (ids: readonly string[]) => ids.map((id) => (id === 'all' ? 'all contacts' : named(id))).join(', ');
  const isBegun = hasBegun(status);

  return (
    <Stack gap="lg">
      {status_reason && <Alert color={status === 'failed' ? 'red' : 'gray'}>{status_reason}</Alert>}
      {problem && (
        <Alert color="yellow" title="This campaign would fail at its start">
          {problem}
        </Alert>
      )}
      <CampaignApproval campaign={campaign} />
      <CampaignProgress campaign={campaign} />
      {isBegun && <CampaignResults campaign={campaign} />}
      {isBegun && <CampaignReport campaign={campaign} />}
      <Columns>
        <Panel title="Campaign">
          <DescriptionList
            items={{
              Status: <CampaignStatus status={status} />,
              Include: audienceLabel(audience.include),
              Exclude: audienceLabel(audience.exclude),
              From: from.name ? `${from.name} <${from.email}>` : from.email,
              'Reply-to': campaign.reply_to,
              Throttle: campaign.throttle_per_minute && `${campaign.throttle_per_minute} emails per minute`,
              Tracking: [campaign.track.opens && 'opens', campaign.track.clicks && 'clicks'].filter(Boolean).join(', ') || 'off',
              Conversion: conversionLabel(campaign.conversion),
              'Scheduled for': campaign.schedule_at && <RelativeTime at={campaign.schedule_at} />,
              Started: campaign.started_at && <RelativeTime at={campaign.started_at} />,
              Completed: campaign.completed_at && <RelativeTime at={campaign.completed_at} />,
              Created: <RelativeTime at={campaign.created_at} />,
              ID: <code>{campaign.id}</code>,
            }}
          />
        </Panel>
        <Panel title="Message">
          <CampaignPreview campaign={campaign} />
        </Panel>
      </Columns>
      {isBegun && <CampaignRates campaign={campaign} />}
      {isBegun && <Buyers campaign={campaign} />}
      {isBegun && <Ledger campaign={campaign} />}
    </Stack>
  );
}
