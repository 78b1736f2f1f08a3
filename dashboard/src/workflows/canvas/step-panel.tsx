import { ActionIcon, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconBolt, IconCopy, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Definition } from '../definition.ts';
import { stepOf } from '../edits/graph.ts';
import { canMove, canRemove, change } from '../edits/step-edits.ts';
import { faultOf } from '../fields/fault.ts';
import { RunSettingsFields } from '../fields/run-settings-fields.tsx';
import { StepFields } from '../fields/step-fields.tsx';
import { TriggerFields } from '../fields/trigger-fields.tsx';
import { capturedTags } from './captured-tags.ts';
import type { Problem } from './problems.ts';
import { stepKinds } from './step-kinds.ts';
import classes from './workflow-editor.module.css';

export type StepActions = {
  onMove: (direction: 'up' | 'down') => void;
  onDuplicate: () => void;
  onRemove: () => void;
};

type Props = {
  definition: Definition;
  /** The step, or null for the trigger. */
  stepId: string | null;
  problems: readonly Problem[];
  onChange: (definition: Definition, tag: string | null) => void;
  actions: StepActions;
  /** What the trigger shows of the workflow itself. */
  about: ReactNode;
};

/** The fields of the chosen card. */
export function StepPanel({ definition, stepId, problems, onChange, actions, about }: Props) {
  const step = stepOf(definition, stepId);
  const fault = faultOf(new Map(problems.map(({ path, message }) => [path, message])));

  if (!step) {
    return (
      <Stack gap="md">
        <Head icon={<IconBolt size={18} aria-hidden />} title="Trigger" />
        <Others problems={problems} of={['']} />
        <TriggerFields trigger={definition.trigger} onChange={(trigger, tag) => onChange({ ...definition, trigger }, tag)} fault={fault} />
        <Title order={3} size="h6" mt="sm">
          Rules for every run
        </Title>
        <RunSettingsFields definition={definition} onChange={onChange} fault={fault} />
        {about}
      </Stack>
    );
  }
  const { name, icon: Icon, means } = stepKinds[step.type];
  return (
    <Stack gap="md">
      <Head
        icon={<Icon size={18} aria-hidden />}
        title={name}
        action={
          <Group gap={2} wrap="nowrap">
            <Action
              label="Move up"
              isOff={!canMove(definition, step.id, 'up')}
              onClick={() => actions.onMove('up')}
              icon={<IconArrowUp size={16} aria-hidden />}
            />
            <Action
              label="Move down"
              isOff={!canMove(definition, step.id, 'down')}
              onClick={() => actions.onMove('down')}
              icon={<IconArrowDown size={16} aria-hidden />}
            />
            <Action
              label="Duplicate"
              isOff={step.type === 'exit'}
              onClick={actions.onDuplicate}
              icon={<IconCopy size={16} aria-hidden />}
            />
            <Action
              label="Delete step"
              isOff={!canRemove(definition, step.id)}
              onClick={actions.onRemove}
              icon={<IconTrash size={16} aria-hidden />}
            />
          </Group>
        }
      />
      <Text size="xs" c="dimmed" mt={-8}>
        {means}.
      </Text>
      <Others problems={problems} of={['', '/id', '/next']} />
      <TextInput
        label="Step name"
        placeholder={name}
        autoComplete="off"
        value={step.name ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const { name: _, ...unnamed } = step;
          onChange(change(definition, value === '' ? unnamed : { ...step, name: value }), `${step.id}/name`);
        }}
        error={fault('/name')}
      />
      <StepFields step={step} definition={definition} onChange={onChange} fault={fault} />
      {readsResponses.has(step.type) && <Captured tags={capturedTags(definition, step.id)} />}
    </Stack>
  );
}

/** The steps whose texts can contain what earlier webhooks captured. */
const readsResponses: ReadonlySet<string> = new Set(['send', 'notify', 'update_contact', 'webhook', 'start_workflow', 'track_event']);

/** What can be written into the fields of the step, ready to be copied. */
const Captured = ({ tags }: { tags: readonly string[] }) =>
  tags.length > 0 && (
    <Text size="xs" c="dimmed">
      From earlier webhooks:{' '}
      {tags.map((tag, index) => (
        <span key={tag}>
          {index > 0 && ', '}
          <code>{tag}</code>
        </span>
      ))}
    </Text>
  );

/** Problems that belong to no field. */
const Others = ({ problems, of }: { problems: readonly Problem[]; of: readonly string[] }) =>
  problems
    .filter(({ path }) => of.includes(path))
    .map(({ path, message }) => (
      <Text key={path + message} size="sm" c="var(--mantine-color-error)">
        {message}
      </Text>
    ));

const Head = ({ icon, title, action }: { icon: ReactNode; title: string; action?: ReactNode }) => (
  <div className={classes.panelHead}>
    {icon}
    <Title order={2} size="h5" className={classes.panelTitle}>
      {title}
    </Title>
    {action}
  </div>
);

const Action = ({ label, isOff, onClick, icon }: { label: string; isOff: boolean; onClick: () => void; icon: ReactNode }) => (
  <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} disabled={isOff} onClick={onClick}>
    {icon}
  </ActionIcon>
);
