import { Alert } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { type Campaign, isEditable, useCampaign, useUpdateCampaign } from '../campaigns/campaigns.ts';
import { EditorBack, EditorFrame, LoadedEditor } from '../editor/editor-frame.tsx';
import { type CampaignDraft, campaignOf, draftOf } from './campaign-draft.ts';
import { CampaignForm } from './campaign-form.tsx';
import type { CampaignStep } from './campaign-steps.ts';

export function EditCampaignPage() {
  const { id } = useParams({ from: '/signed-in/campaigns/$id/edit' });
  const query = useCampaign(id);
  return (
    <LoadedEditor of="the campaign" query={query} title="Edit campaign" back={<EditorBack to="/campaigns/$id" params={{ id }} />}>
      {(campaign) => <Drafted key={id} campaign={campaign} load={() => query.refetch({ throwOnError: true })} />}
    </LoadedEditor>
  );
}

type Props = { campaign: Campaign; load: () => Promise<{ data: Campaign | undefined }> };

/** Keeps the form and its edits if the draft is sent from elsewhere in the meantime. */
function Drafted({ campaign, load }: Props) {
  const [wasDraft] = useState(isEditable(campaign.status));
  const { id, name, status } = campaign;
  if (wasDraft) return <Edit campaign={campaign} load={load} />;
  return (
    <EditorFrame title={`Edit ${name}`} header={<EditorBack to="/campaigns/$id" params={{ id }} />}>
      {!isEditable(status) && <Gone />}
    </EditorFrame>
  );
}

const Gone = () => <Alert color="gray">Only a draft can be changed. This campaign has already been sent or scheduled.</Alert>;

function Edit({ campaign, load }: Props) {
  const { id } = campaign;
  const { step = 'audience' } = useSearch({ from: '/signed-in/campaigns/$id/edit' });
  const navigate = useNavigate();
  const goTo = (next: CampaignStep) => navigate({ to: '/campaigns/$id/edit', params: { id }, search: { step: next } });
  const [revision, setRevision] = useState(campaign.revision);
  const [savedName, setSavedName] = useState(campaign.name);
  const update = useUpdateCampaign(id);
  const changeOf = (draft: CampaignDraft) => ({ change: campaignOf(draft), revision });
  const onSaved = (saved: Pick<Campaign, 'revision' | 'name'>) => {
    setRevision(saved.revision);
    setSavedName(saved.name);
  };
  return (
    <CampaignForm
      title={`Edit ${savedName}`}
      back={<EditorBack to="/campaigns/$id" params={{ id }} />}
      status={<CampaignStatus status={campaign.status} />}
      notice={!isEditable(campaign.status) && <Gone />}
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
      autosave={(draft) => update.mutateAsync(changeOf(draft)).then(onSaved)}
      onSubmit={(draft, next, { onSaved: onDone, onError }) =>
        update.mutate(changeOf(draft), {
          onSuccess: (saved) => {
            onSaved(saved);
            onDone();
            if (next !== step) void goTo(next);
          },
          onError,
        })
      }
    />
  );
}
