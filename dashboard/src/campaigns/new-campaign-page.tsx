import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { BackLink, Page } from '../shell/page.tsx';
import { campaignOf } from './campaign-draft.ts';
import { CampaignForm } from './campaign-form.tsx';
import { useCreateCampaign } from './campaigns.ts';

export function NewCampaignPage() {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useCreateCampaign();
  return (
    <Page
      title="New campaign"
      describes="Saved as a draft. Nothing is sent until you send it."
      back={<BackLink to="/campaigns">Campaigns</BackLink>}
    >
      <CampaignForm
        submit="Save draft"
        failed="Couldn't save the campaign"
        isPending={isPending}
        error={error}
        onSubmit={(draft) =>
          mutate(campaignOf(draft), {
            onSuccess: ({ id }) => {
              notifications.show({ message: 'Saved as a draft.' });
              void navigate({ to: '/campaigns/$id/edit', params: { id }, ignoreBlocker: true });
            },
          })
        }
      />
    </Page>
  );
}
