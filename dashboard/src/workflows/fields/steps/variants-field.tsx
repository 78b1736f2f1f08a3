import { ActionIcon, Button, Input, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { optionIn, optionsOf } from '../../../form/options.ts';
import { type Fault, faultOf } from '../fault.ts';
import classes from '../fields.module.css';
import { type StepOf, type StepProps, useSet } from './step-props.ts';
import { TemplateField } from './template-field.tsx';

type Variant = NonNullable<StepOf<'send'>['variants']>[number];

const maxVariants = 5;

/** A variant with the first letter that is free, and all variants with the same weight, as far as it can be. */
function withOneMore(variants: readonly Variant[]): Variant[] {
  const name = [...'ABCDEFGHIJ'].find((letter) => variants.every((one) => one.name !== letter)) ?? '';
  return evenly([...variants, { name, weight: 0 }]);
}

function evenly(variants: readonly Variant[]): Variant[] {
  const share = Math.floor(100 / variants.length);
  return variants.map((one, index) => ({ ...one, weight: index === 0 ? 100 - share * (variants.length - 1) : share }));
}

/** The variants of an A/B test, if the step has one. */
export function VariantsField(props: StepProps<'send'>) {
  const { step, fault } = props;
  const set = useSet(props);
  const { variants = [], ...rest } = step;
  const change = (next: readonly Variant[], tag: string | null) => set(next.length < 2 ? rest : { ...rest, variants: [...next] }, tag);
  return (
    <Input.Wrapper
      label="A/B test"
      labelElement="div"
      description="Each contact gets one variant. Empty fields use the values of the email above."
      error={fault('/variants')}
    >
      <ul className={classes.rows}>
        {variants.map((variant, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: variants have no identity except their position.
          <li key={index} className={classes.block}>
            <VariantFields
              stepId={step.id}
              number={index + 1}
              variant={variant}
              onChange={(next, field) =>
                change(
                  variants.map((one, at) => (at === index ? next : one)),
                  field === null ? null : `variants/${index}/${field}`,
                )
              }
              onRemove={() => change(evenly(variants.filter((_, at) => at !== index)), null)}
              fault={faultOf(fault.below(`/variants/${index}`))}
            />
          </li>
        ))}
      </ul>
      {variants.length < maxVariants && (
        <Button
          mt="xs"
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change(variants.length === 0 ? withOneMore(withOneMore([])) : withOneMore(variants), null)}
        >
          {variants.length === 0 ? 'Test variants' : 'Add variant'}
        </Button>
      )}
    </Input.Wrapper>
  );
}

const contents = { none: 'As above', template: 'Template', html: 'HTML' } as const;

type VariantProps = {
  stepId: string;
  number: number;
  variant: Variant;
  onChange: (variant: Variant, field: string | null) => void;
  onRemove: () => void;
  fault: Fault;
};

function VariantFields({ stepId, number, variant, onChange, onRemove, fault }: VariantProps) {
  const { html, template_id, ...rest } = variant;
  const content = template_id !== undefined ? 'template' : html !== undefined ? 'html' : 'none';
  return (
    <>
      <div className={classes.head}>
        <TextInput
          aria-label={`Name of variant ${number}`}
          autoComplete="off"
          value={variant.name}
          onChange={(event) => onChange({ ...variant, name: event.currentTarget.value }, 'name')}
          error={fault('/name')}
        />
        <NumberInput
          aria-label={`Percentage of variant ${number}`}
          min={1}
          max={100}
          allowDecimal={false}
          suffix=" %"
          value={variant.weight}
          onChange={(weight) => onChange({ ...variant, weight: Number(weight) || 0 }, 'weight')}
          error={fault('/weight')}
        />
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Remove variant ${number}`} onClick={onRemove}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </div>
      <TextInput
        label="Subject"
        autoComplete="off"
        value={variant.subject ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const { subject: _, ...other } = variant;
          onChange(value === '' ? other : { ...other, subject: value }, 'subject');
        }}
        error={fault('/subject')}
      />
      <TextInput
        label="Preview text"
        autoComplete="off"
        value={variant.preview_text ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const { preview_text: _, ...other } = variant;
          onChange(value === '' ? other : { ...other, preview_text: value }, 'preview_text');
        }}
        error={fault('/preview_text')}
      />
      <NativeSelect
        label="Content"
        data={optionsOf(contents)}
        value={content}
        onChange={(event) => {
          const chosen = optionIn(contents, event.currentTarget.value) ?? 'none';
          onChange({ ...rest, ...(chosen === 'html' && { html: '' }), ...(chosen === 'template' && { template_id: '' }) }, null);
        }}
      />
      {template_id !== undefined && (
        <TemplateField
          stepId={stepId}
          variant={number}
          value={template_id}
          onChange={(id) => onChange({ ...rest, template_id: id }, null)}
          error={fault('/template_id')}
        />
      )}
      {html !== undefined && (
        <Textarea
          label="Email"
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: classes.source ?? '' }}
          value={html}
          onChange={(event) => onChange({ ...rest, html: event.currentTarget.value }, 'html')}
          error={fault('/html')}
        />
      )}
    </>
  );
}
