import { WorkflowPicker } from '../../../names/pickers.tsx';
import { scalarOf } from '../../../rules/value-text.ts';
import { PairsField } from '../pairs-field.tsx';
import { type StepProps, useSet } from './step-props.ts';

/** The workflow to start, with its data. */
export function StartWorkflowFields(props: StepProps<'start_workflow'>) {
  const { step, fault } = props;
  const set = useSet(props);
  return (
    <>
      <WorkflowPicker
        label="Workflow"
        value={step.workflow_id}
        onChange={(workflow_id) => set({ ...step, workflow_id }, null)}
        error={fault('/workflow_id')}
      />
      <PairsField<unknown>
        label="Data"
        description="Values can contain {{ data.properties.total }}."
        nameLabel="Name"
        valueLabel="Value"
        add="Add value"
        value={step.data ?? {}}
        onChange={(data) => set({ ...step, data }, 'data')}
        read={(value) => (typeof value === 'string' ? value : JSON.stringify(value))}
        write={scalarOf}
        error={fault('/data')}
      />
    </>
  );
}
