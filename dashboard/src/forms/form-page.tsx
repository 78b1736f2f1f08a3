import { Alert, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ArchiveForm } from './archive-form.tsx';
import { DuplicateForm } from './duplicate-form.tsx';
import { FormBuilder } from './form-builder.tsx';
import { draftOf, formOf } from './form-draft.ts';
import { FormReportPanel } from './form-report-panel.tsx';
import { type Form, useStoredForm, useUpdateForm } from './forms.ts';
import { UseFormPanel } from './use-form-panel.tsx';
import { validateForm } from './validate-form.ts';

export function FormPage() {
  const { id } = useParams({ from: '/signed-in/contacts/forms/$id' });
  const query = useStoredForm(id);
  const { data: form } = query;
  const { mayWrite } = usePermission();
  return (
    <Page
      title={form?.name ?? 'Form'}
      describes={form && `Version ${form.version}`}
      back={<BackLink to="/contacts/forms">Forms</BackLink>}
      action={
        form &&
        mayWrite && (
          <Group gap="sm">
            <DuplicateForm form={form} />
            <ArchiveForm form={form} />
          </Group>
        )
      }
    >
      <Loaded of="the form" query={query}>
        {(loaded) => (
          <Stack gap="lg">
            {loaded.status === 'archived' && (
              <Alert color="yellow" title="This form is archived" role="note">
                Its page is not shown, and it accepts no submissions.
              </Alert>
            )}
            {loaded.flooded_at !== null && <Flooded at={loaded.flooded_at} />}
            {loaded.status === 'active' && <UseFormPanel form={loaded} />}
            <FormReportPanel id={loaded.id} />
            <EditForm key={id} stored={loaded} load={() => query.refetch({ throwOnError: true })} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

const Flooded = ({ at }: { at: string }) => (
  <Alert color="yellow" title="This form was flooded" role="note">
    It had so many submissions <RelativeTime at={at} /> that it stopped sending confirmation emails for a while.
  </Alert>
);

type EditProps = { stored: Form; load: () => Promise<{ data: Form | undefined }> };

/** Changes a form. Another change in the meantime is not overwritten. */
function EditForm({ stored, load }: EditProps) {
  const [revision, setRevision] = useState(stored.revision);
  const form = useForm({ initialValues: draftOf(stored), validate: validateForm });
  const update = useUpdateForm(stored.id);
  const [seen, setSeen] = useState(stored.revision);
  // Archiving and restoring change the revision, but nothing that can be edited here.
  if (seen !== stored.revision) {
    setSeen(stored.revision);
    if (!form.isDirty()) setRevision(stored.revision);
  }
  return (
    <FormBuilder
      form={form}
      saving={update}
      kept={{
        name: `form ${stored.id}`,
        stored: {
          revision,
          onRevision: setRevision,
          current: async () => {
            const { data = stored } = await load();
            return { values: draftOf(data), revision: data.revision };
          },
        },
      }}
      submit="Save"
      cancel={
        <ButtonLink to="/contacts/forms" variant="default">
          {form.isDirty() ? 'Cancel' : 'Done'}
        </ButtonLink>
      }
      onSubmit={(draft) =>
        update.mutate(
          { change: formOf(draft), revision },
          {
            onSuccess: (saved) => {
              setRevision(saved.revision);
              const values = draftOf(saved);
              form.setValues(values);
              form.resetDirty(values);
              notifications.show({ message: saved.version === stored.version ? 'Saved.' : `Saved as version ${saved.version}.` });
            },
          },
        )
      }
    />
  );
}
