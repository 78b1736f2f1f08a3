import { useDeclaredTypes } from '../../contact-fields/attributes.ts';
import { fieldLabel, fieldNames } from '../../contact-fields/field-labels.ts';
import { type Option, Picker, type PickerProps } from '../../form/picker.tsx';

const dateFields = ['created_at', 'updated_at', 'last_seen_at'];

/** A date of the contact: its own, or an attribute with dates. */
export function DateFieldPicker(props: PickerProps) {
  const attributes = [...useDeclaredTypes()].filter(([, type]) => type === 'date').map(([key]) => `attributes.${key}`);
  return <Picker {...props} options={[...dateFields, ...attributes].map(optionOfField)} nothing="No attributes with dates" />;
}

const optionOfField = (value: string): Option => ({ value, label: fieldLabel(value) });

/** The fields and attributes of contacts. */
export function useFieldOptions(): Option[] {
  const attributes = [...useDeclaredTypes().keys()].map((key) => `attributes.${key}`);
  return [...fieldNames, ...attributes].map(optionOfField);
}
