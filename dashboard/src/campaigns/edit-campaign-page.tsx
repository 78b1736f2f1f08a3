import { Alert, Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { campaignOf } from './campaign-draft.ts';
import { CampaignForm } from './campaign-form.tsx';
import { type Campaign, useCampaign, useUpdateCampaign } from './campaigns.ts';

export function EditCampaignPage() {
  const { id } = useParams({ from: '/signed-in/campaigns/$id/edit' });
  const { data: campaign, error, refetch } = useCampaign(id);
  return (
    <Page
      title={campaign ? `Edit ${campaign.name}` : 'Edit campaign'}
      back={
        <BackLink to="/campaigns/$id" params={{ id }}>
          Campaign
        </BackLink>
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't load the campaign" onRetry={() => void refetch()} />}
      {!campaign && !error && <Skeleton height={320} role="status" aria-label="Loading the campaign" />}
      {campaign && <Drafted key={id} campaign={campaign} />}
    </Page>
  );
}

/** Keeps the form and its edits if the draft is sent from elsewhere in the meantime. */
function Drafted({ campaign }: { campaign: Campaign }) {
  const [wasDraft] = useState(campaign.status === 'draft');
  return (
    <>
      {campaign.status !== 'draft' && (
        <Alert color="gray">Only a draft can be changed. This campaign has already been sent or scheduled.</Alert>
      )}
      {wasDraft && <Edit campaign={campaign} />}
    </>
  );
}

function Edit({ campaign }: { campaign: Campaign }) {
  const [revision, setRevision] = useState(campaign.revision);
  const { mutate, isPending, error } = useUpdateCampaign(campaign.id);
  return (
    <CampaignForm
      campaign={campaign}
      submit="Save"
      failed="Couldn't save the campaign"
      isPending={isPending}
      error={error}
      onSubmit={(draft, onSaved) =>
        mutate(
          { change: campaignOf(draft), revision },
          {
            onSuccess: (saved) => {
              setRevision(saved.revision);
              onSaved();
              notifications.show({ message: 'Saved.' });
            },
          },
        )
      }
    />
  );
}
