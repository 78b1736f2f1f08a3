import { Button, Progress } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { ButtonLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { mayUse } from '../session/may-use.ts';
import { useMe } from '../session/session-query.ts';
import classes from './first-steps.module.css';
import { useFirstSteps } from './use-first-steps.ts';

type Step = { name: string; why: string; isDone: boolean | undefined; action: ReactNode };

const small = { size: 'xs', variant: 'default' } as const;

/** What a new account does first, each with its button. Not shown again once everything is done or hidden. */
export function FirstSteps() {
  const { data: me } = useMe();
  if (!me || me.permission === 'read_only' || me.scopes !== null) return null;
  return <Steps accountId={me.account.id} seesSettings={mayUse(me, 'settings:read')} />;
}

function Steps({ accountId, seesSettings }: { accountId: string; seesSettings: boolean }) {
  const key = `mp-first-steps-hidden-${accountId}`;
  const [isHidden, hide] = useLocalStorage({ key, defaultValue: false, getInitialValueInEffect: false });
  const done = useFirstSteps({ enabled: !isHidden, seesSettings });
  const steps: Step[] = [
    {
      ...{ name: 'Add contacts', why: 'From a spreadsheet, or one by one.', isDone: done.contacts },
      action: (
        <ButtonLink to="/contacts/imports/new" {...small}>
          Import contacts
        </ButtonLink>
      ),
    },
    ...(seesSettings
      ? [
          {
            ...{ name: 'Set up your brand', why: 'Your logo and colors in every email.', isDone: done.brand },
            action: (
              <ButtonLink to="/settings/brand" {...small}>
                Set up the brand
              </ButtonLink>
            ),
          },
          {
            ...{ name: 'Verify a sending domain', why: 'So that your emails reach the inbox.', isDone: done.domain },
            action: (
              <ButtonLink to="/settings/sending" {...small}>
                Add a domain
              </ButtonLink>
            ),
          },
        ]
      : []),
    {
      ...{ name: 'Send a first email', why: 'Start by sending yourself a test.', isDone: done.email },
      action: (
        <ButtonLink to="/campaigns/new" {...small}>
          Write an email
        </ButtonLink>
      ),
    },
    {
      ...{ name: 'Track your website', why: 'See who visits, and what they do.', isDone: done.visit },
      action: (
        <ButtonLink to="/leadpulse" {...small}>
          Add your website
        </ButtonLink>
      ),
    },
    {
      ...{ name: 'Build a workflow', why: 'Welcome new contacts automatically.', isDone: done.workflow },
      action: (
        <ButtonLink to="/workflows/new" {...small}>
          Build a workflow
        </ButtonLink>
      ),
    },
    ...(seesSettings
      ? [
          {
            ...{ name: 'Connect your app', why: 'An API key lets it send people and events.', isDone: done.key },
            action: (
              <ButtonLink to="/settings/api-keys" {...small}>
                Generate a key
              </ButtonLink>
            ),
          },
        ]
      : []),
  ];
  const completed = steps.filter(({ isDone }) => isDone).length;
  const isFinished = completed === steps.length;
  const isUnknown = !done.isLoading && steps.some(({ isDone }) => isDone === undefined);

  // Also not while they are loaded on the next visit.
  useEffect(() => {
    if (isFinished) hide(true);
  }, [isFinished, hide]);

  return !isHidden && !isFinished && !isUnknown && <StepList steps={steps} completed={completed} onHide={() => hide(true)} />;
}

function StepList({ steps, completed, onHide }: { steps: readonly Step[]; completed: number; onHide: () => void }) {
  return (
    <Panel
      title="First steps"
      action={
        <Button size="compact-xs" variant="subtle" color="gray" onClick={onHide}>
          Hide
        </Button>
      }
    >
      <Progress
        value={(completed / steps.length) * 100}
        size="xs"
        mb="sm"
        aria-label={`${completed} of ${steps.length} first steps done`}
      />
      <ul className={classes.steps}>
        {steps.map(({ name, why, isDone, action }) => (
          <li key={name} className={classes.step} data-done={isDone || undefined}>
            {isDone && <IconCircleCheckFilled size={20} role="img" aria-label="Done:" className={classes.done} />}
            {isDone === false && <IconCircle size={20} stroke={1.5} role="img" aria-label="To do:" className={classes.open} />}
            {isDone === undefined && <IconCircle size={20} stroke={1.5} aria-hidden className={classes.open} />}
            <span className={classes.words}>
              <span className={classes.name}>{name}</span>
              <span className={classes.why}>{why}</span>
            </span>
            {isDone === false && action}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
