import { Radio, Stack, Text } from '@mantine/core';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { useStartableWorkflows } from './imports.ts';

type Props = { isStarting: boolean; onChange: (isStarting: boolean) => void };

/** Says which active workflows the import may start, and asks whether it does. Nothing if there are none. */
export function StartedWorkflows({ isStarting, onChange }: Props) {
  const { data: workflows } = useStartableWorkflows();
  if (!workflows || workflows.length === 0) return null;
  return (
    <Panel title="Workflows">
      <Stack gap="md">
        <Text size="sm">
          Contacts that are created, change, or enter or leave a segment can start{' '}
          {workflows.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <TextLink to="/workflows/$id" params={{ id }}>
                {name}
              </TextLink>
            </span>
          ))}
          .
        </Text>
        <Radio.Group
          label="What should the import do?"
          value={isStarting ? 'start' : 'keep'}
          onChange={(chosen) => onChange(chosen === 'start')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="start" label="Start workflows" />
            <Radio value="keep" label="Do not start them" />
          </Stack>
        </Radio.Group>
      </Stack>
    </Panel>
  );
}
