import { useParams } from '@tanstack/react-router';
import { EmailMetrics } from '../campaigns/email-metrics.tsx';
import { CommentsPanel } from '../comments/comments-panel.tsx';
import { EditorBack, LoadedEditor } from '../editor/editor-frame.tsx';
import { Status } from '../page/status.tsx';
import { usePermission } from '../session/permission.ts';
import { EditTemplateForm } from './edit-template-form.tsx';
import { DeleteTemplate, DuplicateTemplate } from './template-actions.tsx';
import { TemplateVersions } from './template-versions.tsx';
import { contentDraftOf, useTemplate, useTemplateAnalytics } from './templates.ts';

export function TemplatePage() {
  const { id } = useParams({ from: '/signed-in/campaigns/templates/$id' });
  const query = useTemplate(id);
  const { data: analytics } = useTemplateAnalytics(id);
  const { mayWrite } = usePermission('campaigns');
  const back = <EditorBack to="/campaigns/templates" />;
  return (
    <LoadedEditor of="the template" query={query} title="Template" back={back}>
      {(template) => (
        <EditTemplateForm
          key={id}
          template={template}
          load={() => query.refetch({ throwOnError: true })}
          submit="Save"
          page={(form) => ({
            title: template.name,
            back,
            status: <Status tone="good">Version {template.version}</Status>,
            live: 'Saving applies wherever it is used.',
            isReadOnly: !mayWrite,
            under: (
              <>
                <EmailMetrics analytics={analytics} />
                <CommentsPanel resource_type="template" resource_id={id} />
              </>
            ),
            more: (
              <>
                <TemplateVersions id={id} version={template.version} onRestore={(version) => form.setValues(contentDraftOf(version))} />
                {mayWrite && <DuplicateTemplate template={template} />}
                {mayWrite && <DeleteTemplate template={template} />}
              </>
            ),
          })}
        />
      )}
    </LoadedEditor>
  );
}
