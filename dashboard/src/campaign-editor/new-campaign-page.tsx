import { useNavigate, useSearch } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { useBrand } from '../brand/brand.ts';
import { useCreateCampaign } from '../campaigns/campaigns.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { NewPage } from '../page/new-page.tsx';
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
  return (
    <NewPage title="New campaign" describes="Saved as a draft. Nothing is sent until you send it." list="/campaigns" of="Campaigns">
      {(cancel) => (
        <Loaded of="the brand" shape="form" query={brand}>
          {(loadedBrand) => (
            <Loaded of="the settings" shape="form" query={settings}>
              {({ default_sender }) => (
                <CampaignForm
                  initial={newDraft(loadedBrand, default_sender, segment)}
                  step={step}
                  onStep={(next) => void navigate({ to: '/campaigns/new', search: { ...(segment && { segment }), step: next } })}
                  saving={creation}
                  kept={{ name: 'new campaign' }}
                  cancel={() => cancel}
                  onSubmit={(draft, next, { onError }) =>
                    creation.mutate(campaignOf(draft), {
                      onSuccess: ({ id }) =>
                        finish('Saved as a draft.', { to: '/campaigns/$id/edit', params: { id }, search: { step: next } }),
                      onError,
                    })
                  }
                />
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </NewPage>
  );
}
