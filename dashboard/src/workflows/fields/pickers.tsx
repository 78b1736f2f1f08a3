import { Autocomplete, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useDeclaredTypes } from '../../contact-fields/attributes.ts';
import { useNames } from '../../names/names.ts';
import { fieldNames, fieldWord } from '../../rules/rule-labels.ts';
import { useAllTemplates, useAllWorkflows, useTeamMembers, useTrackedEvents } from '../step-names.ts';

type Props = {
  label: string;
  isLabelVisible?: boolean;
  value: string;
  onChange: (value: string) => void;
  error?: ReactNode;
  description?: ReactNode;
  placeholder?: string;
};

type Option = { value: string; label: string };

/** One of several things by its name. What is chosen stays an option, even if it is not known. */
function Picker({
  label,
  isLabelVisible = true,
  options,
  value,
  onChange,
  placeholder = 'Choose…',
  nothing,
  ...field
}: Props & { options: readonly Option[]; nothing: string }) {
  const isKnown = value === '' || options.some((one) => one.value === value);
  return (
    <Select
      {...field}
      {...(isLabelVisible ? { label } : { 'aria-label': label })}
      searchable
      limit={100}
      placeholder={placeholder}
      nothingFoundMessage={nothing}
      data={[...options, ...(isKnown ? [] : [{ value, label: value }])]}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}

export function SegmentPicker({ isStatic = false, ...props }: Props & { isStatic?: boolean }) {
  const { segments } = useNames();
  const options = segments.filter(({ kind }) => !isStatic || kind === 'static').map(({ id, name }) => ({ value: id, label: name }));
  return <Picker {...props} options={options} nothing={isStatic ? 'No static segments' : 'No segments'} />;
}

export function TemplatePicker(props: Props) {
  const { rows } = useAllTemplates();
  return <Picker {...props} options={rows.map(({ id, name }) => ({ value: id, label: name }))} nothing="No templates" />;
}

export function WorkflowPicker(props: Props) {
  const { rows } = useAllWorkflows();
  return <Picker {...props} options={rows.map(({ id, name }) => ({ value: id, label: name }))} nothing="No workflows" />;
}

export function CampaignPicker(props: Props) {
  const { campaigns } = useNames();
  return <Picker {...props} options={campaigns.map(({ id, name }) => ({ value: id, label: name }))} nothing="No campaigns" />;
}

export function UserPicker(props: Props) {
  const { rows } = useTeamMembers();
  return (
    <Picker {...props} options={rows.map(({ id, name, email }) => ({ value: id, label: name || (email ?? id) }))} nothing="No users" />
  );
}

/** The name of an event; suggests those that were tracked. */
export function EventField({ placeholder = 'order_placed', ...props }: Props) {
  const { data = [] } = useTrackedEvents();
  return <Autocomplete {...props} placeholder={placeholder} data={data.filter((name) => name !== '')} limit={50} />;
}

const dateFields = ['created_at', 'updated_at', 'last_seen_at'];

/** A date of the contact: its own, or an attribute with dates. */
export function DateFieldPicker(props: Props) {
  const attributes = [...useDeclaredTypes()].filter(([, type]) => type === 'date').map(([key]) => `attributes.${key}`);
  return <Picker {...props} options={[...dateFields, ...attributes].map(optionOfField)} nothing="No attributes with dates" />;
}

const optionOfField = (value: string): Option => ({ value, label: fieldWord(value) });

/** The fields and attributes of contacts. */
export function useFieldOptions(): Option[] {
  const attributes = [...useDeclaredTypes().keys()].map((key) => `attributes.${key}`);
  return [...fieldNames, ...attributes].map(optionOfField);
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

export const ZonePicker = (props: Props) => (
  <Picker {...props} options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))} nothing="No time zone" />
);
