import { Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ComponentProps, ReactNode } from 'react';
import { Editor } from '../editor/editor.tsx';
import { ContentPanel } from '../email-editor/content-panel.tsx';
import type { Sender } from '../email-editor/send-test.tsx';
import classes from '../form/editor.module.css';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import type { Draft } from '../form/kept-draft.tsx';
import { required } from '../form/required.ts';
import { Panel } from '../page/panel.tsx';
import type { TemplateDraft } from './template-draft.ts';

/** What depends on where the form is shown. */
export type TemplateFormLabels = Pick<ComponentProps<typeof FormActions>, 'submit' | 'cancel'> & {
  /** The editor around it, on a page of its own. */
  page?:
    | (Pick<ComponentProps<typeof Editor>, 'title' | 'back' | 'status' | 'live' | 'more'> & {
        isReadOnly?: boolean;
        /** What follows the email. */
        under?: ReactNode;
      })
    | undefined;
  /** Whether the name gets the focus, as in a dialog. */
  focusesName?: boolean;
  /** Whom tests are from at first. */
  sender?: Sender | undefined;
};

type Props = TemplateFormLabels & {
  form: UseFormReturnType<TemplateDraft>;
  saving: { isPending: boolean; error: Error | null };
  kept: Draft<TemplateDraft>;
  onSubmit: (draft: TemplateDraft) => void;
};

export const validateTemplate = { name: required('Enter a name.') };

/** A dialog focuses its first field when it opens, but the form may be loaded later. Not before the dialog has stored where the focus was. */
const focusWhenShown = (input: HTMLInputElement | null) => {
  setTimeout(() => input?.focus());
};

const failed = "Couldn't save the template";

export function TemplateForm({ form, submit, saving, kept, cancel, page, focusesName = false, sender, onSubmit }: Props) {
  const description = (
    <TextInput label="Description" placeholder="What the template is for" autoComplete="off" {...form.getInputProps('description')} />
  );
  const content = <ContentPanel form={form} sender={sender} readsData />;
  return (
    <Form form={form} saving={saving} draft={kept} onSubmit={onSubmit}>
      {page ? (
        <Editor {...page} name={form.getInputProps('name')} submit={page.isReadOnly ? undefined : submit} failed={failed}>
          <Stack gap="lg">
            {content}
            <Panel title="Template">{description}</Panel>
            {page.under}
          </Stack>
        </Editor>
      ) : (
        <Stack gap="lg">
          <Panel title="Template">
            <div className={classes.pair}>
              <TextInput
                label="Name"
                autoComplete="off"
                {...(focusesName && { ref: focusWhenShown, 'data-autofocus': true })}
                {...form.getInputProps('name')}
              />
              {description}
            </div>
          </Panel>
          {content}
          <FormActions submit={submit} failed={failed} cancel={cancel} />
        </Stack>
      )}
    </Form>
  );
}
