import { Alert, Group, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ArchiveForm } from './archive-form.tsx';
import { DuplicateForm } from './duplicate-form.tsx';
import { EmbedFormPanel } from './embed-form-panel.tsx';
import { FormReportPanel } from './form-report-panel.tsx';
import { useStoredForm } from './forms.ts';

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
        form && (
          <Group gap="sm">
            <ButtonLink to="/contacts/forms/$id/edit" params={{ id }} variant="default">
              {mayWrite ? 'Edit' : 'Settings'}
            </ButtonLink>
            {mayWrite && <DuplicateForm form={form} />}
            {mayWrite && <ArchiveForm form={form} />}
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
            {loaded.status === 'active' && <EmbedFormPanel form={loaded} />}
            <FormReportPanel id={loaded.id} />
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
