import { Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { ContentPanel } from '../email-editor/content-panel.tsx';
import classes from '../form/editor.module.css';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import type { Draft } from '../form/kept-draft.tsx';
import { required } from '../form/required.ts';
import { Panel } from '../shell/panel.tsx';
import type { TemplateDraft } from './template-draft.ts';

type Props = {
  form: UseFormReturnType<TemplateDraft>;
  submit: string;
  saving: { isPending: boolean; error: Error | null };
  kept: Draft<TemplateDraft>;
  cancel: ReactNode;
  onSubmit: (draft: TemplateDraft) => void;
};

export const validateTemplate = { name: required('Enter a name.') };

export const TemplateForm = ({ form, submit, saving, kept, cancel, onSubmit }: Props) => (
  <Form form={form} saving={saving} draft={kept} onSubmit={onSubmit}>
    <Stack gap="lg">
      <Panel title="Template">
        <div className={classes.pair}>
          <TextInput label="Name" autoComplete="off" {...form.getInputProps('name')} />
          <TextInput label="Description" placeholder="What the template is for" autoComplete="off" {...form.getInputProps('description')} />
        </div>
      </Panel>
      <ContentPanel form={form} readsData />
      <FormActions submit={submit} failed="Couldn't save the template" cancel={cancel} />
    </Stack>
  </Form>
);
