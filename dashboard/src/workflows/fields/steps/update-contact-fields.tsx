import { useFieldOptions } from '../contact-field-options.tsx';
import { PairsField } from '../pairs-field.tsx';
import { fieldsOf, fieldText, fieldValueOf, membersOf } from '../set-fields.ts';
import { type StepProps, useSet } from './step-props.ts';

/** The fields that change. */
export function UpdateContactFields(props: StepProps<'update_contact'>) {
  const { step, fault } = props;
  const set = useSet(props);
  const fields = useFieldOptions();
  const isAttribute = ({ value }: { value: string }) => value.startsWith('attributes.');
  return (
    <>
      <PairsField<unknown>
        label="Set"
        description="Values can contain {{ contact.first_name }} or {{ data.properties.total }}."
        nameLabel="Field"
        valueLabel="Value"
        add="Add field"
        value={fieldsOf(step.set ?? {})}
        onChange={(pairs) => set({ ...step, set: membersOf(pairs) }, 'set')}
        read={fieldText}
        write={fieldValueOf}
        suggestions={fields}
        suggestsValues
        error={fault('/set')}
      />
      <PairsField<number>
        label="Increase"
        description="Numbers to add; negative ones subtract."
        nameLabel="Attribute"
        valueLabel="By"
        add="Add number"
        value={step.increment ?? {}}
        onChange={(increment) => {
          const { increment: _, ...rest } = step;
          set(Object.keys(increment).length > 0 ? { ...rest, increment } : rest, 'increment');
        }}
        read={String}
        write={(text) => Number(text) || 0}
        suggestions={fields.filter(isAttribute)}
        error={fault('/increment')}
      />
    </>
  );
}
