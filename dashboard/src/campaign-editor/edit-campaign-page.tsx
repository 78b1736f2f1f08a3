import { Alert } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { type Campaign, isEditable, useCampaign, useUpdateCampaign } from '../campaigns/campaigns.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { campaignOf, draftOf } from './campaign-draft.ts';
import { CampaignForm } from './campaign-form.tsx';
import type { CampaignStep } from './campaign-steps.ts';

export function EditCampaignPage() {
  const { id } = useParams({ from: '/signed-in/campaigns/$id/edit' });
  const query = useCampaign(id);
  return (
    <Page
      title={query.data ? `Edit ${query.data.name}` : 'Edit campaign'}
      back={
        <BackLink to="/campaigns/$id" params={{ id }}>
          Campaign
        </BackLink>
      }
    >
      <Loaded of="the campaign" shape="form" query={query}>
        {(campaign) => <Drafted key={id} campaign={campaign} load={() => query.refetch({ throwOnError: true })} />}
      </Loaded>
    </Page>
  );
}

type Props = { campaign: Campaign; load: () => Promise<{ data: Campaign | undefined }> };

/** Keeps the form and its edits if the draft is sent from elsewhere in the meantime. */
function Drafted({ campaign, load }: Props) {
  const [wasDraft] = useState(isEditable(campaign.status));
  return (
    <>
      {!isEditable(campaign.status) && (
        <Alert color="gray">Only a draft can be changed. This campaign has already been sent or scheduled.</Alert>
      )}
      {wasDraft && <Edit campaign={campaign} load={load} />}
    </>
  );
}

function Edit({ campaign, load }: Props) {
  const { id } = campaign;
  const { step = 'audience' } = useSearch({ from: '/signed-in/campaigns/$id/edit' });
  const navigate = useNavigate();
  const goTo = (next: CampaignStep) => navigate({ to: '/campaigns/$id/edit', params: { id }, search: { step: next } });
  const [revision, setRevision] = useState(campaign.revision);
  const update = useUpdateCampaign(id);
  return (
    <CampaignForm
      campaign={campaign}
      initial={draftOf(campaign)}
      step={step}
      onStep={(next) => void goTo(next)}
      saving={update}
      kept={{
        name: `campaign ${id}`,
        stored: {
          revision,
          onRevision: setRevision,
          current: async () => {
            const { data = campaign } = await load();
            return { values: draftOf(data), revision: data.revision };
          },
        },
      }}
      cancel={(isDirty) => (
        <ButtonLink to="/campaigns/$id" params={{ id }} variant="default">
          {isDirty ? 'Cancel' : 'Done'}
        </ButtonLink>
      )}
      onSubmit={(draft, next, { onSaved, onError }) =>
        update.mutate(
          { change: campaignOf(draft), revision },
          {
            onSuccess: (saved) => {
              setRevision(saved.revision);
              onSaved();
              notifications.show({ message: 'Saved.' });
              if (next !== step) void goTo(next);
            },
            onError,
          },
        )
      }
    />
  );
}
