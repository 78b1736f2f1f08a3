import { type UseFormReturnType, useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { draftOf, type TemplateDraft, templateOf } from './template-draft.ts';
import { TemplateForm, type TemplateFormLabels, validateTemplate } from './template-form.tsx';
import { type Template, useUpdateTemplate } from './templates.ts';

type Props = Omit<TemplateFormLabels, 'page'> & {
  template: Template;
  /** Loads the template as it is now. */
  load: () => Promise<{ data: Template | undefined }>;
  page?: (form: UseFormReturnType<TemplateDraft>) => TemplateFormLabels['page'];
  onSaved?: () => void;
};

/** Changes a template. Another change in the meantime is not overwritten. */
export function EditTemplateForm({ template, load, page, onSaved, ...words }: Props) {
  const { id } = template;
  const [revision, setRevision] = useState(template.revision);
  const form = useForm({ initialValues: draftOf(template), validate: validateTemplate });
  const update = useUpdateTemplate(id);
  return (
    <TemplateForm
      {...words}
      {...(page && { page: page(form) })}
      form={form}
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
      onSubmit={(draft) =>
        update.mutate(
          { change: templateOf(draft), revision },
          {
            onSuccess: (saved) => {
              setRevision(saved.revision);
              form.resetDirty(draft);
              notifications.show({ message: `Saved as version ${saved.version}.` });
              onSaved?.();
            },
          },
        )
      }
    />
  );
}
