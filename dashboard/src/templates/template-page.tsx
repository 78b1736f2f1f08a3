import { Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { usePermission } from '../session/permission.ts';
import { ButtonLink } from '../shell/button-link.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { DeleteTemplate, DuplicateTemplate } from './template-actions.tsx';
import { draftOf, templateOf } from './template-draft.ts';
import { TemplateForm, validateTemplate } from './template-form.tsx';
import { TemplateVersions } from './template-versions.tsx';
import { contentDraftOf, type Template, useTemplate, useUpdateTemplate } from './templates.ts';

export function TemplatePage() {
  const { id } = useParams({ from: '/signed-in/campaigns/templates/$id' });
  const query = useTemplate(id);
  const { mayWrite } = usePermission();
  return (
    <Page
      title={query.data?.name ?? 'Template'}
      describes={query.data && `Version ${query.data.version}`}
      back={<BackLink to="/campaigns/templates">Templates</BackLink>}
      action={
        query.data &&
        mayWrite && (
          <Group gap="sm">
            <DuplicateTemplate template={query.data} />
            <DeleteTemplate template={query.data} />
          </Group>
        )
      }
    >
      <Loaded of="the template" query={query}>
        {(template) => <Edit key={id} template={template} load={() => query.refetch({ throwOnError: true })} />}
      </Loaded>
    </Page>
  );
}

function Edit({ template, load }: { template: Template; load: () => Promise<{ data: Template | undefined }> }) {
  const { id } = template;
  const [revision, setRevision] = useState(template.revision);
  const form = useForm({ initialValues: draftOf(template), validate: validateTemplate });
  const update = useUpdateTemplate(id);
  const isDirty = form.isDirty();
  return (
    <TemplateForm
      form={form}
      submit="Save"
      saving={update}
      kept={{
        name: `template ${id}`,
        stored: {
          revision,
          onRevision: setRevision,
          current: async () => {
            const { data = template } = await load();
            return { values: draftOf(data), revision: data.revision };
          },
        },
      }}
      cancel={
        <Group gap="sm">
          <TemplateVersions id={id} version={template.version} onRestore={(version) => form.setValues(contentDraftOf(version))} />
          <ButtonLink to="/campaigns/templates" variant="default">
            {isDirty ? 'Cancel' : 'Done'}
          </ButtonLink>
        </Group>
      }
      onSubmit={(draft) =>
        update.mutate(
          { change: templateOf(draft), revision },
          {
            onSuccess: (saved) => {
              setRevision(saved.revision);
              form.resetDirty(draft);
              notifications.show({ message: `Saved as version ${saved.version}.` });
            },
          },
        )
      }
    />
  );
}
