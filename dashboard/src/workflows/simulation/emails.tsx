import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { MailFrame } from '../../email-frame/email-frame.tsx';
import { Panel } from '../../page/panel.tsx';
import { absolute } from '../../time/relative.ts';
import { stepName } from '../step-labels.ts';
import type { Simulated, WorkflowStep } from '../workflows.ts';
import classes from './outcome.module.css';
import { sinceStart } from './playback.ts';

type Listed = { step_id: string; at: string; subject: string; variant?: string | null };

type Props<Email extends Listed> = {
  /** Those that were sent so far. */
  emails: readonly Email[];
  /** When the run started. */
  began: string;
  steps: readonly WorkflowStep[];
  /** What an email shows when it is opened. */
  children: (email: Email) => ReactNode;
};

/** The emails of a run, each of which can be opened. */
export function Emails<Email extends Listed>({ emails, began, steps, children }: Props<Email>) {
  const [isOpened, setOpened] = useState(false);
  const [shown, setShown] = useState<Email>();
  const nameOf = (id: string) => {
    const step = steps.find((one) => one.id === id);
    return step ? stepName(step) : id;
  };
  return (
    <Panel title="Emails">
      {emails.length === 0 && (
        <Text size="sm" c="dimmed">
          None so far
        </Text>
      )}
      <ul className={classes.effects} aria-label="Emails">
        {emails.map((email) => (
          <li key={`${email.step_id} ${email.at}`}>
            {email.subject}
            <span>
              {nameOf(email.step_id)}
              {email.variant != null && `, variant ${email.variant}`}, {sinceStart(began, email.at)}{' '}
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => {
                  setShown(email);
                  setOpened(true);
                }}
              >
                Open email
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <Modal
        opened={isOpened}
        onClose={() => setOpened(false)}
        size="lg"
        title={shown?.subject}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && children(shown)}
      </Modal>
    </Panel>
  );
}

type Rendered = Pick<Simulated['messages'][number], 'at' | 'from' | 'html' | 'missing_fields'>;

/** A rendered email with its sender and time. */
export const OpenedEmail = ({ email: { at, from, html, missing_fields: missing }, note }: { email: Rendered; note?: string }) => (
  <Stack gap="sm">
    <Text size="sm" c="dimmed">
      From {from.name ? `${from.name} <${from.email}>` : from.email}, {absolute(at)}
    </Text>
    {note && (
      <Text size="sm" c="dimmed">
        {note}
      </Text>
    )}
    {missing.length > 0 && (
      <Alert color="yellow" variant="light" role="note">
        No value for {missing.join(', ')}; {missing.length === 1 ? 'it' : 'they'} will be blank.
      </Alert>
    )}
    <MailFrame html={html} title="Email" />
  </Stack>
);
