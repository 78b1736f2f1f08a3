import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { type SiteDraft, SiteFields, validateSite } from './site-fields.tsx';
import { type Site, useChangeSite, useSite } from './sites.ts';

/** Changes the name and addresses of a website. Another change in the meantime is not overwritten. */
export const EditSite = ({ site, opened, onClose }: { site: Site; opened: boolean; onClose: () => void }) => (
  <FormDialog opened={opened} onClose={onClose} title="Edit website">
    <EditForm site={site} onClose={onClose} />
  </FormDialog>
);

/** Begins with the website as it is when the dialog opens. */
function EditForm({ site, onClose }: { site: Site; onClose: () => void }) {
  const [{ id, name, origins, ...opened }] = useState(site);
  const [revision, setRevision] = useState(opened.revision);
  const { refetch } = useSite(id);
  const form = useForm<SiteDraft>({ initialValues: { name, origins }, validate: validateSite });
  const saving = useChangeSite({ id, revision });
  const submit = (draft: SiteDraft) =>
    saving.mutate(draft, {
      onSuccess: () => {
        notifications.show({ message: 'The website was saved.' });
        onClose();
      },
    });
  const current = async () => {
    const { data = site } = await refetch({ throwOnError: true });
    return { values: { name: data.name, origins: data.origins }, revision: data.revision };
  };
  return (
    <Form form={form} saving={saving} draft={{ stored: { revision, onRevision: setRevision, current } }} onSubmit={submit}>
      <Stack gap="lg">
        <SiteFields form={form} />
        <FormActions submit="Save" failed="Couldn't save the website" cancel={onClose} />
      </Stack>
    </Form>
  );
}
