import { NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { Loaded } from '../api/loaded.tsx';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { Page } from '../shell/page.tsx';
import { Panel } from '../shell/panel.tsx';
import { accountZone } from '../time/zone.ts';
import { ZonePicker } from '../workflows/fields/pickers.tsx';
import { SendersPanel } from './senders-panel.tsx';
import { type SendingLimits, useChangeSendingSettings, useSendingSettings } from './sending-settings.ts';

/** Settings → Sending: the domains of the sender, when contacts get marketing emails, and how many. */
export function SendingPage() {
  const query = useSendingSettings();
  return (
    <Page title="Sending" describes="For the emails of all campaigns and workflows.">
      <Stack gap="lg" maw={760}>
        <SendersPanel />
        <Loaded of="the settings" query={query}>
          {({ quiet_hours, frequency_cap }) => <LimitsForm limits={{ quiet_hours, frequency_cap }} />}
        </Loaded>
      </Stack>
    </Page>
  );
}

const isWhole = (value: unknown, max: number) => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
const maxEmails = 1_000;
const maxDays = 90;

function LimitsForm({ limits }: { limits: SendingLimits }) {
  const form = useForm<SendingLimits>({
    initialValues: limits,
    validate: {
      quiet_hours: {
        from: (time) => (time === '' ? 'Enter a time.' : null),
        to: (time, { quiet_hours }) => (time === '' || time === quiet_hours?.from ? 'Enter another time than the one before.' : null),
        timezone: (zone) => (zone === '' ? 'Choose a time zone.' : null),
      },
      frequency_cap: {
        max_emails: (value) => (isWhole(value, maxEmails) ? null : `Enter a whole number from 1 to ${maxEmails}.`),
        days: (value) => (isWhole(value, maxDays) ? null : `Enter a whole number from 1 to ${maxDays}.`),
      },
    },
  });
  const change = useChangeSendingSettings();
  const save = (values: SendingLimits) =>
    change.mutate(values, {
      onSuccess: ({ quiet_hours, frequency_cap }) => {
        form.setInitialValues({ quiet_hours, frequency_cap });
        form.reset();
        notifications.show({ message: 'Saved.' });
      },
    });
  const { quiet_hours, frequency_cap } = form.values;
  return (
    <Form form={form} saving={change} onSubmit={save}>
      <Stack gap="lg">
        <Panel title="Quiet hours">
          <Stack gap="md">
            <Switch
              label="Send no marketing emails during quiet hours"
              description="In the time zone of each contact. Emails that are due then are sent when the quiet hours end."
              checked={quiet_hours !== null}
              onChange={({ currentTarget: { checked } }) =>
                form.setFieldValue('quiet_hours', checked ? { from: '21:00', to: '08:00', timezone: accountZone() } : null)
              }
            />
            {quiet_hours && (
              <FormGrid>
                <TextInput type="time" label="From" {...form.getInputProps('quiet_hours.from')} />
                <TextInput type="time" label="To" {...form.getInputProps('quiet_hours.to')} />
                <ZonePicker
                  label="Time zone of contacts without one"
                  {...form.getInputProps('quiet_hours.timezone')}
                  value={quiet_hours.timezone}
                />
              </FormGrid>
            )}
          </Stack>
        </Panel>
        <Panel title="Frequency cap">
          <Stack gap="md">
            <Switch
              label="Limit the marketing emails per contact"
              description="A campaign skips a contact that has got as many. An email step of a workflow skips it or waits."
              checked={frequency_cap !== null}
              onChange={({ currentTarget: { checked } }) =>
                form.setFieldValue('frequency_cap', checked ? { max_emails: 3, days: 7 } : null)
              }
            />
            {frequency_cap && (
              <FormGrid>
                <NumberInput
                  label="Emails per contact, at most"
                  min={1}
                  max={maxEmails}
                  allowDecimal={false}
                  clampBehavior="none"
                  {...form.getInputProps('frequency_cap.max_emails')}
                />
                <NumberInput
                  label="In this many days"
                  min={1}
                  max={maxDays}
                  allowDecimal={false}
                  clampBehavior="none"
                  {...form.getInputProps('frequency_cap.days')}
                />
              </FormGrid>
            )}
          </Stack>
        </Panel>
        <FormActions submit="Save" failed="Couldn't save the settings" />
      </Stack>
    </Form>
  );
}
