import { Stack } from '@mantine/core';
import { Loaded } from '../api/loaded.tsx';
import { ApprovalPanel, RejectedAlert } from '../approval/approval-panel.tsx';
import { RecipientsPanel } from '../campaign-editor/recipients-panel.tsx';
import { Checks } from '../campaign-editor/review-campaign.tsx';
import { type Campaign, useCampaignApproval, useDecideCampaign } from '../campaigns/campaigns.ts';
import { absolute } from '../time/relative.ts';

/** What the approver of a campaign sees and decides; for its editor, why it was rejected. */
export function CampaignApproval({ campaign }: { campaign: Campaign }) {
  const query = useCampaignApproval(campaign);
  const deciding = useDecideCampaign(campaign.id);
  const { status, schedule_at } = campaign;
  if (status === 'draft') return query.data ? <RejectedAlert approval={query.data} noun="campaign" /> : null;
  if (status !== 'awaiting_approval') return null;
  return (
    <Loaded of="the approval" shape="form" query={query}>
      {(approval) => (
        <Stack gap="lg">
          <ApprovalPanel
            noun="campaign"
            approval={approval}
            deciding={deciding}
            effect={schedule_at === null ? 'Once approved, it is sent immediately.' : `Once approved, it is sent ${absolute(schedule_at)}.`}
          />
          <RecipientsPanel campaign={campaign} />
          <Checks campaign={campaign} />
        </Stack>
      )}
    </Loaded>
  );
}
