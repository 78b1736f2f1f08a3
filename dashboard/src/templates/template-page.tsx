import { Group, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { EmailMetrics } from '../campaigns/email-metrics.tsx';
import { CommentsPanel } from '../comments/comments-panel.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { usePermission } from '../session/permission.ts';
import { EditTemplateForm } from './edit-template-form.tsx';
import { DeleteTemplate, DuplicateTemplate } from './template-actions.tsx';
import { TemplateVersions } from './template-versions.tsx';
import { contentDraftOf, useTemplate, useTemplateAnalytics } from './templates.ts';

export function TemplatePage() {
  const { id } = useParams({ from: '/signed-in/campaigns/templates/$id' });
  const query = useTemplate(id);
  const { mayWrite } = usePermission('campaigns');
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
      <Stack gap="lg">
        <Loaded of="the template" query={query}>
          {(template) => (
            <EditTemplateForm
              key={id}
              template={template}
              load={() => query.refetch({ throwOnError: true })}
              submit="Save"
              cancel={(form) => (
                <Group gap="sm">
                  <TemplateVersions id={id} version={template.version} onRestore={(version) => form.setValues(contentDraftOf(version))} />
                  <ButtonLink to="/campaigns/templates" variant="default">
                    {form.isDirty() ? 'Cancel' : 'Done'}
                  </ButtonLink>
                </Group>
              )}
            />
          )}
        </Loaded>
        <EmailMetrics analytics={useTemplateAnalytics(id).data} />
        {query.data && <CommentsPanel resource_type="template" resource_id={id} />}
      </Stack>
    </Page>
  );
}
