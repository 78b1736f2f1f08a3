import { useNavigate, useSearch } from '@tanstack/react-router';
import { useBrand } from '../brand/brand.ts';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { useCreateCampaign } from '../campaigns/campaigns.ts';
import { EditorBack, LoadedEditor } from '../editor/editor-frame.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { useSendingSettings } from '../sending/sending-settings.ts';
import { campaignOf, newDraft } from './campaign-draft.ts';
import { CampaignForm } from './campaign-form.tsx';

export function NewCampaignPage() {
  const { segment, step = 'audience' } = useSearch({ from: '/signed-in/campaigns/new' });
  const navigate = useNavigate();
  const finish = useFinishForm();
  const creation = useCreateCampaign();
  const brand = useBrand();
  const settings = useSendingSettings();
  const editor = { title: 'New campaign', back: <EditorBack to="/campaigns" /> };
  return (
    <LoadedEditor of="the brand" query={brand} {...editor}>
      {(loadedBrand) => (
        <LoadedEditor of="the settings" query={settings} {...editor}>
          {({ default_sender }) => (
            <CampaignForm
              {...editor}
              status={<CampaignStatus status="draft" />}
              initial={newDraft(loadedBrand, default_sender, segment)}
              step={step}
              onStep={(next) => void navigate({ to: '/campaigns/new', search: { ...(segment && { segment }), step: next } })}
              saving={creation}
              kept={{ name: 'new campaign' }}
              onSubmit={(draft, next, { onError }) =>
                creation.mutate(campaignOf(draft), {
                  onSuccess: ({ id }) => finish('Saved as a draft.', { to: '/campaigns/$id/edit', params: { id }, search: { step: next } }),
                  onError,
                })
              }
            />
          )}
        </LoadedEditor>
      )}
    </LoadedEditor>
  );
}
