import { useForm } from '@mantine/form';
import { useSearch } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { type Brand, useBrand } from '../brand/brand.ts';
import { newDesign } from '../email-editor/design.ts';
import { blank, starters } from '../email-editor/starters.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../shell/button-link.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { type TemplateDraft, templateOf } from './template-draft.ts';
import { TemplateForm, validateTemplate } from './template-form.tsx';
import { useCreateTemplate } from './templates.ts';

export function NewTemplatePage() {
  const query = useBrand();
  return (
    <Page
      title="New template"
      describes="An email to start from, for campaigns, workflows and messages."
      back={<BackLink to="/campaigns/templates">Templates</BackLink>}
    >
      <Loaded of="the brand" query={query}>
        {(brand) => <New brand={brand} />}
      </Loaded>
    </Page>
  );
}

function New({ brand }: { brand: Brand }) {
  const { starter: id } = useSearch({ from: '/signed-in/campaigns/templates/new' });
  const starter = starters.find((one) => one.id === id);
  const finish = useFinishForm();
  const creation = useCreateTemplate();
  const form = useForm<TemplateDraft>({
    initialValues: {
      ...{ name: starter?.name ?? '', description: '', subject: starter?.subject ?? '', preview_text: '', html: '', text: '', mjml: null },
      design: newDesign(brand, starter?.content ?? blank),
    },
    validate: validateTemplate,
  });
  return (
    <TemplateForm
      form={form}
      submit="Create template"
      saving={creation}
      kept={{ name: 'new template' }}
      cancel={
        <ButtonLink to="/campaigns/templates" variant="default">
          Cancel
        </ButtonLink>
      }
      onSubmit={(draft) =>
        creation.mutate(templateOf(draft), {
          onSuccess: (template) => finish(`${template.name} was created.`, { to: '/campaigns/templates/$id', params: { id: template.id } }),
        })
      }
    />
  );
}
