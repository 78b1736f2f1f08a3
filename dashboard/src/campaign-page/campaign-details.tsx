import { CampaignPreview } from '../campaign-editor/campaign-preview.tsx';
import { conversionLabel } from '../campaign-editor/conversion-labels.ts';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import type { Campaign } from '../campaigns/campaigns.ts';
import { useNames } from '../names/names.ts';
import { DescriptionList } from '../page/description-list.tsx';
import { Panel } from '../page/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';

type Props = { campaign: Campaign };

/** To whom, from whom, how and when. */
export function CampaignDetails({ campaign }: Props) {
  const { named } = useNames();
  const { status, audience, from } = campaign;
  const audienceLabel = (ids: readonly string[]) => ids.map((id) => (id === 'all' ? 'all contacts' : named(id))).join(', ');
  return (
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
  );
}

export const CampaignMessage = ({ campaign }: Props) => (
  <Panel title="Message">
    <CampaignPreview campaign={campaign} />
  </Panel>
);
