import { useSearch } from '@tanstack/react-router';
import { useBrand } from '../brand/brand.ts';
import { EditorBack, LoadedEditor } from '../editor/editor-frame.tsx';
import { starters } from '../email-design/starters.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { NewTemplateForm } from './new-template-form.tsx';

const page = { title: 'New template', back: <EditorBack to="/campaigns/templates" /> };

export function NewTemplatePage() {
  const query = useBrand();
  const { starter: id } = useSearch({ from: '/signed-in/campaigns/templates/new' });
  const finish = useFinishForm();
  return (
    <LoadedEditor of="the brand" query={query} {...page}>
      {(brand) => (
        <NewTemplateForm
          page={page}
          brand={brand}
          starter={starters.find((one) => one.id === id)}
          submit="Create template"
          onCreated={(template) => finish(`${template.name} was created.`, { to: '/campaigns/templates/$id', params: { id: template.id } })}
        />
      )}
    </LoadedEditor>
  );
}
