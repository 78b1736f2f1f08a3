import { useForm } from '@mantine/form';
import type { Brand } from '../brand/brand.ts';
import type { Starter } from '../email-design/starters.ts';
import { newDraft, type TemplateDraft, templateOf } from './template-draft.ts';
import { TemplateForm, type TemplateFormLabels, validateTemplate } from './template-form.tsx';
import { type Template, useCreateTemplate } from './templates.ts';

type Props = TemplateFormLabels & {
  brand: Brand;
  starter: Starter | undefined;
  onCreated: (template: Template) => void;
};

/** Writes a template and creates it. */
export function NewTemplateForm({ brand, starter, onCreated, ...words }: Props) {
  const creation = useCreateTemplate();
  const form = useForm<TemplateDraft>({ initialValues: newDraft(brand, starter), validate: validateTemplate });
  return (
    <TemplateForm
      {...words}
      form={form}
      saving={creation}
      kept={{ name: 'new template' }}
      onSubmit={(draft) => creation.mutate(templateOf(draft), { onSuccess: (template) => onCreated(template) })}
    />
  );
}
