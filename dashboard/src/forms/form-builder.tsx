import { NativeSelect, Stack, TagsInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ComponentProps, useState } from 'react';
import { Editor } from '../editor/editor.tsx';
import formClasses from '../form/editor.module.css';
import { Form } from '../form/form.tsx';
import type { Draft } from '../form/kept-draft.tsx';
import { optionIn, optionsOf } from '../form/options.ts';
import { useNames } from '../names/names.ts';
import { Panel } from '../page/panel.tsx';
import { AfterFields } from './after-fields.tsx';
import { ConsentsPanel } from './consents-panel.tsx';
import { ContactPanel } from './contact-panel.tsx';
import { FieldsPanel } from './fields-panel.tsx';
import { type FormDraft, formOf } from './form-draft.ts';
import { FormPreview } from './form-preview.tsx';
import classes from './forms.module.css';
import { LookPanel } from './look-panel.tsx';
import { OptInPanel } from './opt-in-panel.tsx';
import { ProtectionPanel } from './protection-panel.tsx';
import { languageNames } from './texts.ts';
import { TextsInput } from './texts-input.tsx';

type Props = Pick<ComponentProps<typeof Editor>, 'title' | 'back' | 'status' | 'live' | 'more' | 'submit'> & {
  form: UseFormReturnType<FormDraft>;
  saving: { isPending: boolean; error: Error | null };
  kept: Draft<FormDraft>;
  onSubmit: (draft: FormDraft) => void;
};

/** The API names the sender as a whole. */
const paths = { '/sender': 'sender.email' };

/** Every setting of a form, with what visitors will see beside it. */
export function FormBuilder({ form, saving, kept, onSubmit, ...editor }: Props) {
  const { values } = form;
  const [language, setLanguage] = useState(values.language);
  const { named } = useNames();
  const builder = { form, language };
  const texts = (name: 'title' | 'description' | 'submit_label') => ({
    ...{ language, fallback: values.language, texts: values[name] },
    onChange: (changed: FormDraft['title']) => form.setFieldValue(name, changed),
    error: form.errors[name] ?? form.errors[`${name}.${language}`],
  });
  return (
    <Form form={form} saving={saving} paths={paths} draft={{ ...kept, comparable: formOf, named }} onSubmit={onSubmit}>
      <Editor {...editor} name={form.getInputProps('name')} failed="Couldn't save the form">
        <div className={classes.builder}>
          <Stack gap="lg">
            <Panel title="Form">
              <Stack gap="sm">
                <div className={formClasses.pair}>
                  <NativeSelect
                    label="Main language"
                    description="For visitors whose own has no texts."
                    data={optionsOf(languageNames)}
                    value={values.language}
                    onChange={({ currentTarget: { value } }) => {
                      const chosen = optionIn(languageNames, value);
                      if (!chosen) return;
                      form.setFieldValue('language', chosen);
                      setLanguage(chosen);
                    }}
                  />
                  <NativeSelect
                    label="Edit the texts in"
                    description="Translations are optional."
                    data={optionsOf(languageNames)}
                    value={language}
                    onChange={({ currentTarget: { value } }) => setLanguage(optionIn(languageNames, value) ?? language)}
                  />
                </div>
                <TextsInput label="Heading" {...texts('title')} />
                <TextsInput label="Text above the fields" isLong {...texts('description')} />
                <TextsInput label="Button" placeholder="Submit" {...texts('submit_label')} />
              </Stack>
            </Panel>
            <FieldsPanel {...builder} />
            <ConsentsPanel {...builder} />
            {values.consents.length > 0 && <OptInPanel form={form} />}
            <Panel title="Afterward">
              <Stack gap="md">
                <AfterFields {...builder} name="after_submission" title="After the submission" usual="Your details have been received." />
                {values.consents.length > 0 && (
                  <AfterFields
                    {...builder}
                    name="after_confirmation"
                    title="After the confirmation"
                    usual="Your confirmation has been received."
                  />
                )}
              </Stack>
            </Panel>
            <ContactPanel form={form} />
            <LookPanel form={form} />
            <ProtectionPanel form={form} />
            <Panel title="Your websites">
              <TagsInput
                label="Websites that may show the form"
                description="Only pages at these addresses, such as https://shop.example.com, may embed and submit it. The hosted page needs none. Press Enter after each."
                acceptValueOnBlur
                {...form.getInputProps('allowed_origins')}
              />
            </Panel>
          </Stack>
          <div className={formClasses.beside}>
            <FormPreview draft={values} language={language} />
          </div>
        </div>
      </Editor>
    </Form>
  );
}
