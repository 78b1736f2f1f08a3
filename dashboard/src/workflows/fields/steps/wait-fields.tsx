import { DurationField } from '../../../form/duration-field.tsx';
import { OccurrencesField } from '../occurrences-field.tsx';
import { type StepProps, useSet } from './step-props.ts';

/** What a `wait_until` or `goal` step waits for. */
export function WaitFields({ fault, ...props }: StepProps<'wait_until' | 'goal'>) {
  const { step, definition } = props;
  const set = useSet({ ...props, fault });
  return (
    <>
      <OccurrencesField
        label={step.type === 'goal' ? 'The goal is reached when' : 'Continue when'}
        steps={definition.steps}
        value={step.any}
        onChange={(any) => set({ ...step, any }, 'any')}
        path="/any"
        fault={fault}
      />
      {step.type === 'goal' ? (
        <DurationField
          label="Within this time after the start"
          value={step.within}
          onChange={(within) => set({ ...step, within }, 'within')}
          error={fault('/within')}
        />
      ) : (
        <DurationField
          label="Or after"
          value={step.timeout}
          onChange={(timeout) => set({ ...step, timeout }, 'timeout')}
          error={fault('/timeout')}
        />
      )}
    </>
  );
}
