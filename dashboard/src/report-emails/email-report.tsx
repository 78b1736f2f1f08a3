import { Button, Checkbox, Group, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconMail } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { useAllUsers } from '../names/all-names.ts';
import { usePermission } from '../session/permission.ts';
import { sessionQuery } from '../session/session-query.ts';
import { moment } from '../time/relative.ts';
import { accountZone, addDays, dayOf, timeAt } from '../time/zone.ts';
import {
  capital,
  type ReportEmail,
  type ReportSubject,
  useEmailReport,
  useReportEmails,
  useStopReport,
  weekdays,
} from './report-emails.ts';

/** Emails a report to users, once or every week, and shows and stops what is emailed. */
export function EmailReport({ subject }: { subject: ReportSubject }) {
  const [opened, { open, close }] = useDisclosure(false);
  const { mayWrite } = usePermission();
  if (!mayWrite) return null;
  return (
    <>
      <Button variant="default" size="xs" leftSection={<IconMail size={14} aria-hidden />} onClick={open}>
        Email this report
      </Button>
      <FormDialog opened={opened} onClose={close} title="Email this report">
        <Stack gap="lg">
          <Emailed subject={subject} isShown={opened} />
          <EmailReportForm subject={subject} onDone={close} />
        </Stack>
      </FormDialog>
    </>
  );
}

type Draft = { often: 'once' | 'weekly'; at: string; weekday: (typeof weekdays)[number]; time: string; user_ids: string[] };

const validate = {
  user_ids: (ids: string[]) => (ids.length === 0 ? 'Choose at least one user.' : null),
  at: (at: string, { often }: Draft) => (often === 'once' && timeAt(at) === '' ? 'Enter a date and a time.' : null),
  time: (time: string, { often }: Draft) => (often === 'weekly' && time === '' ? 'Enter a time.' : null),
};

function EmailReportForm({ subject, onDone }: { subject: ReportSubject; onDone: () => void }) {
  const people = usePeople();
  const hasOwn = people.some(({ isMe }) => isMe);
  const inAWeek = `${addDays(dayOf(Date.now()), 7)}T08:00`;
  const initialValues: Draft = {
    often: 'once',
    at: inAWeek,
    weekday: 'monday',
    time: '08:00',
    user_ids: people.flatMap(({ id, isMe }) => (isMe ? [id] : [])),
  };
  const form = useForm<Draft>({ initialValues, validate });
  const creation = useEmailReport();
  const { often } = form.values;
  const create = ({ at, weekday, time, user_ids }: Draft) =>
    creation.mutate(
      { ...subject, user_ids, ...(often === 'once' ? { send_at: timeAt(at) } : { weekly: { weekday, time } }) },
      {
        onSuccess: ({ next_send_at }) => {
          onDone();
          notifications.show({
            message: `The report is emailed ${often === 'once' ? '' : 'every week, first '}on ${moment(next_send_at ?? timeAt(at))}.`,
          });
        },
      },
    );
  return (
    <Form form={form} saving={creation} paths={{ '/send_at': 'at', '/weekly/time': 'time', '/user_ids': 'user_ids' }} onSubmit={create}>
      <Stack gap="md">
        <SegmentedControl
          aria-label="How often"
          data={[
            { value: 'once', label: 'Once' },
            { value: 'weekly', label: 'Every week' },
          ]}
          value={often}
          onChange={(chosen) => form.setFieldValue('often', chosen === 'weekly' ? 'weekly' : 'once')}
        />
        {often === 'once' ? (
          <TextInput type="datetime-local" label="Send on" description={`Time zone: ${accountZone()}.`} {...form.getInputProps('at')} />
        ) : (
          <Group gap="sm" align="flex-end" grow>
            <NativeSelect
              label="Day"
              data={weekdays.map((day) => ({ value: day, label: capital(day) }))}
              {...form.getInputProps('weekday')}
            />
            <TextInput type="time" label={`Time (${accountZone()})`} {...form.getInputProps('time')} />
          </Group>
        )}
        <Checkbox.Group label="To" {...form.getInputProps('user_ids')}>
          <Stack gap={8} mt={6}>
            {people.map(({ id, label }) => (
              <Checkbox key={id} value={id} label={label} />
            ))}
            {!hasOwn && (
              <Text size="sm">
                You have no email address yet. <Link to="/you">Add one under Your account.</Link>
              </Text>
            )}
          </Stack>
        </Checkbox.Group>
        <Text size="xs" c="dimmed">
          The email has the numbers of the report and no contacts. Each user can stop it with a link in it.
        </Text>
        <FormActions submit="Email report" failed="Couldn't set up the email" cancel={onDone} />
      </Stack>
    </Form>
  );
}

/** What is emailed already. */
function Emailed({ subject, isShown }: { subject: ReportSubject; isShown: boolean }) {
  const { rows } = useReportEmails(subject, isShown);
  const stop = useStopReport();
  if (rows.length === 0) return null;
  return (
    <Stack gap="xs">
      {rows.map((report) => (
        <Group key={report.id} justify="space-between" wrap="nowrap" gap="sm">
          <div>
            <Text size="sm">{whenOf(report)}</Text>
            <Text size="xs" c={report.last_failure ? 'red' : 'dimmed'}>
              {report.last_failure ?? `to ${report.user_ids.length === 1 ? '1 user' : `${report.user_ids.length} users`}`}
            </Text>
          </div>
          {report.next_send_at && (
            <Button
              size="xs"
              variant="default"
              loading={stop.isPending && stop.variables === report.id}
              onClick={() =>
                stop.mutate(report.id, {
                  onSuccess: () => notifications.show({ message: 'The report is no longer emailed.' }),
                  onError: (error) => notifications.show({ color: 'red', title: "Couldn't stop the report", message: error.message }),
                })
              }
            >
              Stop
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  );
}

function whenOf({ weekly, next_send_at, last_sent_at }: ReportEmail): string {
  if (weekly) return `Every ${capital(weekly.weekday)} at ${weekly.time}`;
  if (next_send_at) return `Once, on ${moment(next_send_at)}`;
  return last_sent_at ? `Sent on ${moment(last_sent_at)}` : 'Is being sent';
}

/** The users that the report can go to: those with an email address. Only admins may see the others. */
function usePeople(): { id: string; label: string; isMe: boolean }[] {
  const { data: session } = useQuery(sessionQuery);
  const team = useAllUsers();
  const me = session?.email ? [{ id: session.userId, label: `You (${session.email})`, isMe: true }] : [];
  const others = team.rows.filter(({ id, email }) => id !== session?.userId && email !== null);
  return [...me, ...others.map(({ id, name, email }) => ({ id, label: `${name} (${email})`, isMe: false }))];
}
