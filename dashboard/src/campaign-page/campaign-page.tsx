import { Alert, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { type Campaign, isBegun as hasBegun, useCampaign } from '../campaigns/campaigns.ts';
import { CommentsPanel } from '../comments/comments-panel.tsx';
import { subjectInWords } from '../email-design/merge-fields.ts';
import { BackLink, Page } from '../page/page.tsx';
import { PageTabs, TabLink } from '../page/page-tabs.tsx';
import { Columns } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { AbTestPanel } from './ab-test-panel.tsx';
import { Buyers } from './buyers.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignApproval } from './campaign-approval.tsx';
import { CampaignDetails, CampaignMessage } from './campaign-details.tsx';
import { CampaignProgress } from './campaign-progress.tsx';
import { Links, OverTime, Parts } from './campaign-report.tsx';
import { CampaignRates, CampaignResults } from './campaign-results.tsx';
import { ClickMap } from './click-map.tsx';
import { CompareCampaigns } from './compare-campaigns.tsx';
import { HoldoutPanel } from './holdout-panel.tsx';
import { Ledger } from './ledger.tsx';

type Part = ComponentType<{ campaign: Campaign }>;

/** The results: the numbers that matter, then how they came about. */
const Overview: Part = ({ campaign }) => (
  <>
    <CampaignResults campaign={campaign} />
    <OverTime campaign={campaign} />
    <AbTestPanel campaign={campaign} />
    <HoldoutPanel campaign={campaign} />
    <Columns>
      <Parts campaign={campaign} />
      <CompareCampaigns campaign={campaign} />
    </Columns>
    <CampaignRates campaign={campaign} />
  </>
);

const LinksOf: Part = ({ campaign }) => (
  <Columns>
    <ClickMap campaign={campaign} />
    <Links campaign={campaign} />
  </Columns>
);

const Recipients: Part = ({ campaign }) => (
  <>
    <Buyers campaign={campaign} />
    <Ledger campaign={campaign} />
  </>
);

const Message: Part = ({ campaign }) => (
  <Columns>
    <CampaignDetails campaign={campaign} />
    <CampaignMessage campaign={campaign} />
  </Columns>
);

export function CampaignPage() {
  return <CampaignWith id={useParams({ from: '/signed-in/campaigns/$id' }).id} part={Overview} />;
}

export function CampaignLinksPage() {
  return <CampaignWith id={useParams({ from: '/signed-in/campaigns/$id/links' }).id} part={LinksOf} />;
}

export function CampaignRecipientsPage() {
  return <CampaignWith id={useParams({ from: '/signed-in/campaigns/$id/recipients' }).id} part={Recipients} />;
}

export function CampaignMessagePage() {
  return <CampaignWith id={useParams({ from: '/signed-in/campaigns/$id/message' }).id} part={Message} />;
}

/** The page of a campaign with one of its parts. Before it is sent, there is only its message. */
function CampaignWith({ id, part: Chosen }: { id: string; part: Part }) {
  const query = useCampaign(id);
  const { data: campaign } = query;
  const { may, mayWrite } = usePermission('campaigns');
  return (
    <Page
      title={campaign?.name ?? 'Campaign'}
      describes={
        campaign && (
          <>
            <CampaignStatus status={campaign.status} />
            {' · '}
            {subjectInWords(campaign.subject)}
          </>
        )
      }
      back={<BackLink to="/campaigns">Campaigns</BackLink>}
      action={campaign && (mayWrite || may('campaigns:send')) && <CampaignActions campaign={campaign} />}
    >
      <Loaded of="the campaign" shape="report" query={query}>
        {(loaded) => (
          <>
            {hasBegun(loaded.status) && <Tabs id={id} />}
            <Stack gap="lg">
              <Notices campaign={loaded} />
              {hasBegun(loaded.status) ? <Chosen campaign={loaded} /> : <Message campaign={loaded} />}
              <CommentsPanel resource_type="campaign" resource_id={id} />
            </Stack>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const Tabs = ({ id }: { id: string }) => (
  <PageTabs label="Parts of the report">
    <TabLink to="/campaigns/$id" params={{ id }} activeOptions={{ exact: true }}>
      Overview
    </TabLink>
    <TabLink to="/campaigns/$id/links" params={{ id }}>
      Links
    </TabLink>
    <TabLink to="/campaigns/$id/recipients" params={{ id }}>
      Recipients
    </TabLink>
    <TabLink to="/campaigns/$id/message" params={{ id }}>
      Message
    </TabLink>
  </PageTabs>
);

/** What the user must know or decide, on every part. */
function Notices({ campaign }: { campaign: Campaign }) {
  const { status, status_reason, problem } = campaign;
  return (
    <>
      {status_reason && <Alert color={status === 'failed' ? 'red' : 'gray'}>{status_reason}</Alert>}
      {problem && (
        <Alert color="yellow" title="This campaign would fail at its start">
          {problem}
        </Alert>
      )}
      <CampaignApproval campaign={campaign} />
      <CampaignProgress campaign={campaign} />
    </>
  );
}
