import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { MailFrame } from '../campaigns/mail-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { absolute } from '../time/relative.ts';
import classes from './simulation-outcome.module.css';
import { stepName } from './step-words.ts';
import type { Simulated, WorkflowStep } from './workflows.ts';

type Message = Simulated['messages'][number];
type Props = { messages: readonly Message[]; steps: readonly WorkflowStep[]; stepId: string | null };

/** The emails of a simulation, each of which opens as it would be sent. With a chosen step, only those of that step. */
export function SimulatedMessages({ messages, steps, stepId }: Props) {
  const [opened, setOpened] = useState<Message | null>(null);
  const [shown, setShown] = useState<Message | null>(null);
  const ofStep = messages.filter(({ step_id }) => step_id === stepId);
  const listed = ofStep.length > 0 ? ofStep : messages;
  const nameOf = (id: string) => {
    const step = steps.find((one) => one.id === id);
    return step ? stepName(step) : id;
  };
  return (
    <Panel title="Emails">
      <ul className={classes.effects} aria-label="Emails">
        {listed.map((message) => (
          <li key={`${message.step_id} ${message.at}`}>
            {message.subject}
            <span>
              {nameOf(message.step_id)}{' '}
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => {
                  setShown(message);
                  setOpened(message);
                }}
              >
                Open email
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <Modal
        opened={opened !== null}
        onClose={() => setOpened(null)}
        size="lg"
        title={shown?.subject}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              From {shown.from.name ? `${shown.from.name} <${shown.from.email}>` : shown.from.email}, {absolute(shown.at)}
            </Text>
            {shown.missing_fields.length > 0 && (
              <Alert color="yellow" variant="light" role="note">
                No value for {shown.missing_fields.join(', ')}; {shown.missing_fields.length === 1 ? 'it' : 'they'} will be blank.
              </Alert>
            )}
            <MailFrame html={shown.html} title="Email" />
          </Stack>
        )}
      </Modal>
    </Panel>
  );
}
