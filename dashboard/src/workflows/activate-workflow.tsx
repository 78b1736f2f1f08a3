import { Alert, Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { use, useEffect, useEffectEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Loaded } from '../api/loaded.tsx';
import { FormContext } from '../form/form-context.ts';
import { eventPhrase } from '../names/event-labels.ts';
import { count, counted } from '../numbers/format-number.ts';
import { useActivation, useHasWarnings, type WorkflowActivation } from './activation.ts';
import { type Including, useActivateWorkflow, type Workflow } from './workflows.ts';

/** From more contacts, or more emails in the first hour, the dialog asks a second time. */
const maxUnasked = 1_000;

const maxPastDays = 90;
const usualPastDays = 30;

type Activation = ReturnType<typeof useActivateWorkflow>;

type ActivateProps = {
  workflow: Workflow;
  /** Whether the user has already asked for it. */
  isWanted?: boolean;
  onDone?: () => void;
};

/**
 * Activates a workflow; if contacts match its trigger now, or had its event before, asks whether they start, too. Also asks if there are
 * warnings. In its editor, what is typed is saved first.
 */
export function ActivateWorkflow({ workflow, isWanted: isWantedNow = false, onDone }: ActivateProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const { id, trigger } = workflow;
  const activation = useActivateWorkflow(workflow, () => {
    close();
    onDone?.();
  });
  const { mutate, isPending, reset } = activation;
  const leave = () => {
    if (isPending) return;
    reset();
    close();
  };
  const canIncludePast = trigger.type === 'segment_entered' || trigger.type === 'event';
  const saveFirst = use(FormContext)?.saveFirst;
  const [isWanted, setWanted] = useState(isWantedNow);
  const want = async () => setWanted(!saveFirst || (await saveFirst()));
  const hasWarnings = useHasWarnings(id);
  const begin = useEffectEvent(async () => {
    const isAsking = canIncludePast || (await hasWarnings());
    setWanted(false);
    if (isAsking) open();
    else atOnce();
  });
  // After the render with the trigger that was saved.
  useEffect(() => {
    if (isWanted) void begin();
  }, [isWanted]);
  const atOnce = () =>
    mutate(
      {},
      { onError: (failure) => notifications.show({ color: 'red', title: "Couldn't activate the workflow", message: failure.message }) },
    );
  return (
    <>
      <Button loading={isWanted || (isPending && !opened)} onClick={() => void want()}>
        Activate
      </Button>
      <Modal opened={opened} onClose={leave} title="Activate this workflow?" closeButtonProps={{ 'aria-label': 'Close' }}>
        {/* Mounted while the dialog is open, so that the numbers are those of now. */}
        <Choice id={id} event={trigger.type === 'event' ? eventPhrase(trigger.name) : undefined} activation={activation} onLeave={leave} />
      </Modal>
    </>
  );
}

type Props = {
  id: string;
  /** What starts the workflow, unless it is entering a segment. */
  event: string | undefined;
  activation: Activation;
  onLeave: () => void;
};

function Choice({ id, event, activation: { mutate, isPending, variables = {}, error }, onLeave }: Props) {
  const [days, setDays] = useState(usualPastDays);
  const [requestedDays] = useDebouncedValue(days, 300);
  const [isAsking, setAsking] = useState(false);
  const query = useActivation(id, event === undefined ? undefined : requestedDays);
  const wanted: Including = event === undefined ? { include_current: true } : { include_past_days: requestedDays };
  const isOld = query.isPlaceholderData || requestedDays !== days;
  return (
    <Loaded of="the contacts that match now" shape="form" query={query}>
      {(preview) => (
        <Stack gap="md">
          {event !== undefined && !isAsking && (
            <NumberInput
              label="Look back"
              suffix={days === 1 ? ' day' : ' days'}
              min={1}
              max={maxPastDays}
              allowDecimal={false}
              w={160}
              value={days}
              onChange={(value) => typeof value === 'number' && value >= 1 && value <= maxPastDays && setDays(value)}
            />
          )}
          {isAsking ? <Warning preview={preview} /> : <Words preview={preview} event={event} days={requestedDays} />}
          {preview.warnings.map(({ code, message }) => (
            <Alert key={message} color="yellow" title={warningTitles[code]}>
              {message}
            </Alert>
          ))}
          {error && <ErrorAlert error={error} title="Couldn't activate the workflow" />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={isAsking ? () => setAsking(false) : onLeave} disabled={isPending} data-autofocus>
              {isAsking ? 'Back' : 'Cancel'}
            </Button>
            {!isAsking && (
              <Button variant="default" loading={isPending && Object.keys(variables).length === 0} onClick={() => mutate({})}>
                {preview.contacts ? 'Only new ones' : 'Activate'}
              </Button>
            )}
            {!!preview.contacts && (
              <Button
                {...(isAsking && { color: 'red' })}
                disabled={isOld}
                loading={isPending && Object.keys(variables).length > 0}
                onClick={() => (isLarge(preview) && !isAsking ? setAsking(true) : mutate(wanted))}
              >
                {isAsking ? `Start ${manyOf(preview)}` : 'Start them too'}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Loaded>
  );
}

const warningTitles = { coupon_codes_low: 'Too few codes', coupon_expired: 'The coupon has expired' } as const;

const isLarge = ({ contacts, emails_first_hour }: WorkflowActivation) => Math.max(contacts ?? 0, emails_first_hour ?? 0) > maxUnasked;
const manyOf = ({ contacts }: WorkflowActivation) => counted(contacts ?? 0, 'contact');

const Warning = ({ preview }: { preview: WorkflowActivation }) => (
  <Text size="sm">
    This starts <strong>{manyOf(preview)}</strong> now, with up to <strong>{counted(preview.emails_first_hour ?? 0, 'email')}</strong> in
    the first hour. Emails that have been sent can't be taken back.
  </Text>
);

type WordsProps = { preview: WorkflowActivation; event: string | undefined; days: number };

function Words({ preview, event, days }: WordsProps) {
  const { contacts, exact, emails_first_hour } = preview;
  const emails = emails_first_hour ?? 0;
  const past = days === 1 ? 'in the past day' : `in the past ${days} days`;
  if (contacts === null) return <Text size="sm">Contacts start from now on.</Text>;
  if (contacts === 0)
    return (
      <Text size="sm">
        {event === undefined
          ? 'No contacts match now. Contacts start when they enter the segment.'
          : `No contacts had the event ${event} ${past}. Runs start when they do.`}
      </Text>
    );
  return (
    <>
      <Text size="sm">
        {event === undefined ? (
          <>
            <strong>{manyOf(preview)}</strong> {contacts === 1 ? 'matches' : 'match'} now
            {exact ? '' : ', if the condition of the trigger is met'}. Start them too, or only contacts that enter the segment from now on?
          </>
        ) : (
          <>
            {exact ? '' : 'At least '}
            <strong>{manyOf(preview)}</strong> had the event {event} {past}. Start them too, once each, or only contacts that have it from
            now on?
          </>
        )}
      </Text>
      <Text size="sm" c="dimmed">
        {emails === 0
          ? 'No emails are sent in the first hour.'
          : `If they start too, up to ${count(emails)} ${emails === 1 ? 'email is' : 'emails are'} sent in the first hour.`}
      </Text>
    </>
  );
}
