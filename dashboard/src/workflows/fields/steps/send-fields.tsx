import { Checkbox, Group, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { SenderField } from '../../../campaigns/sender-field.tsx';
import { optionIn, optionsOf } from '../../../form/options.ts';
import { useAllTemplates } from '../../../names/all-names.ts';
import classes from '../fields.module.css';
import { type StepProps, useSet } from './step-props.ts';
import { StepTextField } from './step-text-field.tsx';
import { TemplateField } from './template-field.tsx';
import { VariantsField } from './variants-field.tsx';

const contents = { template: 'Template', html: 'HTML' } as const;
const categories = { marketing: 'Marketing: needs consent', transactional: 'Transactional: the recipient expects it' } as const;
const whenCapped = { skip: 'Skip this email', wait: 'Wait until it is allowed, for up to 7 days' } as const;

/** The email of a `send` step. */
export function SendFields(props: StepProps<'send'>) {
  const { step, fault } = props;
  const set = useSet(props);
  const { template_id, html, text, ...rest } = step;
  const isTemplate = template_id !== undefined;
  const { from } = step;
  const { rows: templates } = useAllTemplates(isTemplate);
  const template = templates.find(({ id }) => id === template_id);
  const chooseTemplate = () => {
    const { subject, ...unnamed } = rest;
    // An empty subject is invalid; without one, the email has that of the template.
    set({ ...(subject ? rest : unnamed), template_id: '' }, null);
  };
  return (
    <>
      <SegmentedControl
        aria-label="Content"
        fullWidth
        data={optionsOf(contents)}
        value={isTemplate ? 'template' : 'html'}
        onChange={(chosen) => (chosen === 'template' ? chooseTemplate() : set({ ...rest, html: '' }, null))}
      />
      {isTemplate && (
        <TemplateField
          stepId={step.id}
          description="Its current version is sent."
          value={template_id}
          onChange={(id) => set({ ...step, template_id: id }, null)}
          error={fault('/template_id')}
        />
      )}
      <StepTextField
        {...props}
        field="subject"
        label="Subject"
        description={isTemplate ? "Leave empty to use the template's subject" : undefined}
        placeholder={template?.subject ?? ''}
        value={step.subject ?? ''}
        onText={(subject) => {
          const { subject: _, ...other } = step;
          return isTemplate && subject === '' ? other : { ...other, subject };
        }}
      />
      <StepTextField
        {...props}
        field="preview_text"
        label="Preview text"
        value={step.preview_text ?? ''}
        onText={(preview) => ({ ...step, preview_text: preview === '' ? null : preview })}
      />
      {!isTemplate && (
        <>
          <Textarea
            label="Email"
            description="HTML. Personalize it with {{ contact.first_name }}."
            autosize
            minRows={6}
            maxRows={20}
            spellCheck={false}
            classNames={{ input: classes.source ?? '' }}
            value={html ?? ''}
            onChange={(event) => set({ ...step, html: event.currentTarget.value }, 'html')}
            error={fault('/html')}
          />
          <StepTextField
            {...props}
            field="text"
            label="Plain text"
            description="Leave empty to generate it from the email"
            isLong
            value={text ?? ''}
            onText={(plain) => ({ ...step, text: plain === '' ? null : plain })}
          />
        </>
      )}
      <TextInput
        label="From name"
        autoComplete="off"
        value={from.name ?? ''}
        onChange={({ currentTarget: { value } }) => set({ ...step, from: { ...from, name: value === '' ? null : value } }, 'from/name')}
        error={fault('/from/name')}
      />
      <SenderField
        label="From address"
        value={from.email}
        onChange={(email) => set({ ...step, from: { ...from, email } }, 'from/email')}
        error={fault('/from/email')}
      />
      <StepTextField
        {...props}
        field="reply_to"
        label="Reply-to"
        description="Leave empty to use the sender"
        value={step.reply_to ?? ''}
        onText={(address) => ({ ...step, reply_to: address === '' ? null : address })}
      />
      <NativeSelect
        label="Category"
        data={optionsOf(categories)}
        value={step.category ?? 'marketing'}
        onChange={(event) => set({ ...step, category: optionIn(categories, event.currentTarget.value) ?? 'marketing' }, null)}
      />
      {step.category !== 'transactional' && (
        <NativeSelect
          label="When the frequency cap is reached"
          data={optionsOf(whenCapped)}
          value={step.when_capped ?? 'skip'}
          onChange={(event) => set({ ...step, when_capped: optionIn(whenCapped, event.currentTarget.value) ?? 'skip' }, null)}
          error={fault('/when_capped')}
        />
      )}
      <Group gap="lg">
        {(['opens', 'clicks'] as const).map((what) => (
          <Checkbox
            key={what}
            label={`Track ${what}`}
            checked={step.track?.[what] ?? true}
            onChange={(event) => set({ ...step, track: { ...step.track, [what]: event.currentTarget.checked } }, null)}
          />
        ))}
      </Group>
      <VariantsField {...props} />
    </>
  );
}
