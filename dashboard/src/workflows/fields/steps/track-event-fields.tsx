import { EventField } from '../../../names/event-field.tsx';
import { scalarOf } from '../../../rules/value-text.ts';
import { PairsField } from '../pairs-field.tsx';
import { type StepProps, useSet } from './step-props.ts';

/** The event to track. */
export function TrackEventFields(props: StepProps<'track_event'>) {
  const { step, fault } = props;
  const set = useSet(props);
  type Property = (typeof step.properties)[string];
  return (
    <>
      <EventField label="Event" value={step.event} onChange={(event) => set({ ...step, event }, 'event')} error={fault('/event')} />
      <PairsField<Property>
        label="Properties"
        nameLabel="Name"
        valueLabel="Value"
        add="Add property"
        value={step.properties ?? {}}
        onChange={(properties) => set({ ...step, properties }, 'properties')}
        read={String}
        write={scalarOf}
        error={fault('/properties')}
      />
    </>
  );
}
