import { ActionIcon, Button, Text, Timeline } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { FormDialog } from '../../form/form-dialog.tsx';
import { Panel } from '../../page/panel.tsx';
import type { SimulationEvent, WorkflowStep } from '../workflows.ts';
import { EventForm } from './event-form.tsx';
import { eventLabel, inOrder, whenLabel } from './events.ts';
import classes from './time-line.module.css';

type Props = {
  /** In the order in which they happen. */
  events: readonly SimulationEvent[];
  onChange: (events: SimulationEvent[]) => void;
  steps: readonly WorkflowStep[];
  named: (id: string) => string;
};

const maxEvents = 200;

/** What happens to the contact during the simulation, and when. */
export function TimeLine({ events, onChange, steps, named }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  /** The event that the dialog edits; undefined for a new one. */
  const [edited, setEdited] = useState<SimulationEvent>();
  const edit = (event?: SimulationEvent) => {
    setEdited(event);
    open();
  };
  const save = (event: SimulationEvent) => {
    onChange(inOrder(edited ? events.map((one) => (one === edited ? event : one)) : [...events, event]));
    close();
  };
  return (
    <Panel
      title="Timeline"
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={events.length >= maxEvents}
          onClick={() => edit()}
        >
          Add event
        </Button>
      }
    >
      {events.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing happens to the contact during the run yet. Add an event or a change, and when it happens.
        </Text>
      )}
      {events.length > 0 && (
        <Timeline bulletSize={14} lineWidth={2} aria-label="Timeline">
          {events.map((event, index) => {
            const words = eventLabel(event, steps, named);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: events have no identity except their position.
              <Timeline.Item key={index}>
                <div className={classes.event}>
                  <div className={classes.words}>
                    {words}
                    <span>{whenLabel(event)}</span>
                  </div>
                  <ActionIcon variant="subtle" color="gray" aria-label={`Edit: ${words}`} title="Edit" onClick={() => edit(event)}>
                    <IconPencil size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove: ${words}`}
                    title="Remove"
                    onClick={() => onChange(events.filter((one) => one !== event))}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                </div>
              </Timeline.Item>
            );
          })}
        </Timeline>
      )}
      <FormDialog opened={opened} onClose={close} title={edited ? 'Edit event' : 'Add event'}>
        <EventForm event={edited} steps={steps} onSave={save} onCancel={close} />
      </FormDialog>
    </Panel>
  );
}
