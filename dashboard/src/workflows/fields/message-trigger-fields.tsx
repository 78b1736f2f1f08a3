import { NativeSelect, TextInput } from '@mantine/core';
import { CampaignPicker, WorkflowPicker } from '../../names/pickers.tsx';
import type { Definition } from '../definition.ts';
import { stepName } from '../step-labels.ts';
import { useEmailSteps } from '../workflows.ts';
import type { Fault } from './fault.ts';

type Trigger = Extract<Definition['trigger'], { type: `message_${string}` }>;
type Props = { trigger: Trigger; onChange: (trigger: Trigger, tag: string | null) => void; fault: Fault };

/** Which emails start a run when they are opened, clicked, bounce or are refused. */
export function MessageTriggerFields({ trigger, onChange, fault }: Props) {
  const { campaign_id, workflow_id = '', step_id = '' } = trigger;
  const { data: steps = [] } = useEmailSteps(workflow_id);
  const isKnown = step_id === '' || steps.some(({ id }) => id === step_id);
  const without = <Name extends 'campaign_id' | 'workflow_id' | 'step_id'>(...names: Name[]) => {
    const rest = { ...trigger };
    for (const name of names) delete rest[name];
    return rest;
  };
  return (
    <>
      <CampaignPicker
        label="Campaign"
        placeholder="Any campaign"
        value={campaign_id ?? ''}
        onChange={(id) => onChange({ ...without('campaign_id'), ...(id && { campaign_id: id }) }, null)}
        error={fault('/campaign_id')}
      />
      <WorkflowPicker
        label="Workflow"
        placeholder="Any workflow"
        value={workflow_id}
        onChange={(id) => onChange({ ...without('workflow_id', 'step_id'), ...(id && { workflow_id: id }) }, null)}
        error={fault('/workflow_id')}
      />
      {workflow_id !== '' && (
        <NativeSelect
          label="Email of the workflow"
          data={[
            { value: '', label: 'Any email' },
            ...steps.map((step) => ({ value: step.id, label: stepName(step) })),
            ...(isKnown ? [] : [{ value: step_id, label: step_id }]),
          ]}
          value={step_id}
          onChange={({ currentTarget: { value } }) => onChange({ ...without('step_id'), ...(value && { step_id: value }) }, null)}
          error={fault('/step_id')}
        />
      )}
      {trigger.type === 'message_clicked' && (
        <TextInput
          label="Link"
          description="The URL exactly as in the email. Leave empty for any link."
          placeholder="https://shop.example.com/sale"
          type="url"
          autoComplete="off"
          value={trigger.url ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const { url: _, ...rest } = trigger;
            onChange(value === '' ? rest : { ...rest, url: value }, 'trigger/url');
          }}
          error={fault('/url')}
        />
      )}
    </>
  );
}
