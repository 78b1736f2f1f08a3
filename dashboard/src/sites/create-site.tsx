import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { usePermission } from '../session/permission.ts';
import { type SiteDraft, SiteFields, validateSite } from './site-fields.tsx';
import { SiteSnippet } from './site-snippet.tsx';
import { type NewSite, useCreateSite } from './sites.ts';

/** A button that opens `CreateSite`, for people who may add a website. */
export function CreateSiteButton({ onClick }: { onClick: () => void }) {
  const { mayWrite } = usePermission('leadpulse');
  return mayWrite && <Button onClick={onClick}>Add your website</Button>;
}

/**
 * Adds a website, then shows the snippet for its pages. It must be outside of empty states: they end when the website or its
 * first event is there, and the secret would be gone before it is stored.
 */
export function CreateSite({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const creation = useCreateSite();
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      title="Add your website"
      shownTitle="Add the snippet to your pages"
      creation={creation}
      shown={(site, onStored) => <SiteSnippet site={site} onStored={onStored} />}
    >
      {(close) => <NewSiteForm saving={creation} onSubmit={creation.mutate} onCancel={close} />}
    </SecretDialog>
  );
}

type Props = {
  saving: { isPending: boolean; error: Error | null };
  onSubmit: (wanted: NewSite) => void;
  onCancel: () => void;
};

function NewSiteForm({ saving, onSubmit, onCancel }: Props) {
  const form = useForm<SiteDraft>({ initialValues: { name: '', origins: [] }, validate: validateSite });
  return (
    <Form form={form} saving={saving} onSubmit={onSubmit}>
      <Stack gap="lg">
        <SiteFields form={form} />
        <FormActions submit="Add website" failed="Couldn't add the website" cancel={onCancel} />
      </Stack>
    </Form>
  );
}
