import { useSearch } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { useBrand } from '../brand/brand.ts';
import { starters } from '../email-design/starters.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { NewPage } from '../page/new-page.tsx';
import { NewTemplateForm } from './new-template-form.tsx';

export function NewTemplatePage() {
  const query = useBrand();
  const { starter: id } = useSearch({ from: '/signed-in/campaigns/templates/new' });
  const finish = useFinishForm();
  return (
    <NewPage
      title="New template"
      describes="An email to start from, for campaigns, workflows and messages."
      list="/campaigns/templates"
      of="Templates"
    >
      {(cancel) => (
        <Loaded of="the brand" shape="form" query={query}>
          {(brand) => (
            <NewTemplateForm
              brand={brand}
              starter={starters.find((one) => one.id === id)}
              submit="Create template"
              cancel={cancel}
              onCreated={(template) =>
                finish(`${template.name} was created.`, { to: '/campaigns/templates/$id', params: { id: template.id } })
              }
            />
          )}
        </Loaded>
      )}
    </NewPage>
  );
}
