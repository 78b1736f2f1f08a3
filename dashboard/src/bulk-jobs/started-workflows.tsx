import { Radio, Stack, Text } from '@mantine/core';
import { counted } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { useStartableWorkflows } from './startable-workflows.ts';
import { type Counts, startedBy } from './started-by.ts';

type Props = {
  /** The title of a panel around it. */
  title?: string;
  counts: Counts;
  /** The segment that contacts enter or leave, if it is known. */
  segmentId?: string;
  /** Who starts them, such as "Contacts that are created". */
  who: string;
  /** How the numbers become known. */
  unknown?: string;
  isStarting: boolean;
  onChange: (isStarting: boolean) => void;
};

/** Says which active workflows a change of many contacts starts, with how many runs and emails, and asks whether it does. Nothing if there are none. */
export function StartedWorkflows({ title, counts, segmentId, who, unknown, isStarting, onChange }: Props) {
  const { data = [] } = useStartableWorkflows();
  const workflows = data.filter((one) => one.trigger in counts && (segmentId === undefined || one.segmentId === segmentId));
  const { runs, emails } = startedBy(workflows, counts);
  if (workflows.length === 0 || runs === 0) return null;
  const question = (
    <Stack gap="md">
      <Text size="sm">
        {who} can start{' '}
        {workflows.map(({ id, name }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <TextLink to="/workflows/$id" params={{ id }}>
              {name}
            </TextLink>
          </span>
        ))}
        .{' '}
        {runs === undefined
          ? unknown
          : `Up to ${counted(runs, 'run')} ${runs === 1 ? 'starts' : 'start'}, with ${emails === 0 ? 'no emails' : `up to ${counted(emails, 'email')}`} in the first hour.`}
      </Text>
      <Radio.Group label="Start these workflows?" value={isStarting ? 'start' : 'keep'} onChange={(chosen) => onChange(chosen === 'start')}>
        <Stack gap="xs" mt="xs">
          <Radio value="start" label="Start workflows" />
          <Radio value="keep" label="Do not start them" />
        </Stack>
      </Radio.Group>
    </Stack>
  );
  return title === undefined ? question : <Panel title={title}>{question}</Panel>;
}
