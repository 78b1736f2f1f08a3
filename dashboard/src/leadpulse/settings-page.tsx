import { NumberInput, Stack, Switch, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Loaded } from '../api/loaded.tsx';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { showSaved } from '../form/show-saved.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { type LeadpulseSettings, useChangeLeadpulseSettings, useLeadpulseSettings } from './leadpulse.ts';

/** What LeadPulse stores, and for how long. */
export function LeadpulseSettingsPage() {
  const query = useLeadpulseSettings();
  return (
    <Page
      title="Tracking settings"
      describes="Changes apply to events received from now on."
      action={
        <ButtonLink to="/leadpulse/segment-calls" variant="default">
          Segment calls
        </ButtonLink>
      }
    >
      <Loaded of="the settings" shape="form" query={query}>
        {(settings) => <SettingsForm settings={settings} />}
      </Loaded>
    </Page>
  );
}

const whole = (name: string) => (value: number | string) =>
  typeof value === 'number' && Number.isInteger(value) ? null : `Enter ${name} as a whole number.`;

/** A trait and its field, written as `trait = field`. */
function traitIn(line: string) {
  const [trait = '', ...field] = line.split('=');
  return { trait: trait.trim(), field: field.join('=').trim() };
}

function SettingsForm({ settings }: { settings: LeadpulseSettings }) {
  const { mayWrite } = usePermission('leadpulse');
  const form = useForm({
    initialValues: settings,
    validate: { retention_days: whole('the days'), session_timeout_minutes: whole('the minutes') },
  });
  const change = useChangeLeadpulseSettings();
  const save = (values: LeadpulseSettings) =>
    change.mutate(
      { before: form.getInitialValues(), values },
      {
        onSuccess: (saved) => showSaved(form, saved),
      },
    );
  const listHint = 'Press Enter after each.';
  return (
    <Form form={form} saving={change} onSubmit={save}>
      <Stack gap="lg" maw={760}>
        <Panel title="Storage">
          <Stack gap="md">
            <NumberInput
              label="Keep events for (days)"
              description="30 to 800. Older events, visits and visitors are deleted within an hour and can't be restored. Unfiltered totals are kept."
              min={30}
              max={800}
              clampBehavior="none"
              allowDecimal={false}
              readOnly={!mayWrite}
              {...form.getInputProps('retention_days')}
            />
            <Switch
              label="Store shortened IP addresses"
              description="Only the first three parts, such as 203.0.113.0. Full addresses are never stored."
              disabled={!mayWrite}
              {...form.getInputProps('store_networks', { type: 'checkbox' })}
            />
            <TagsInput
              label="Blocked properties"
              description={`Event properties that are never stored, such as card. ${listHint}`}
              acceptValueOnBlur
              readOnly={!mayWrite}
              {...form.getInputProps('blocked_properties')}
            />
          </Stack>
        </Panel>
        <Panel title="Visits">
          <NumberInput
            label="A visit ends after (minutes without an event)"
            description="5 to 240. Earlier visits stay as they are."
            min={5}
            max={240}
            clampBehavior="none"
            allowDecimal={false}
            readOnly={!mayWrite}
            {...form.getInputProps('session_timeout_minutes')}
          />
        </Panel>
        <Panel title="Accepted events">
          <Stack gap="md">
            <TagsInput
              label="Allowed hosts"
              description={`For example, shop.example.com or *.example.com. Events on other hosts are rejected. Leave empty to allow every host. ${listHint}`}
              acceptValueOnBlur
              readOnly={!mayWrite}
              {...form.getInputProps('allowed_hosts')}
            />
            <TagsInput
              label="Currencies"
              description={`For example, EUR. Events with a value in another currency are rejected. Leave empty to allow every currency. ${listHint}`}
              acceptValueOnBlur
              readOnly={!mayWrite}
              {...form.getInputProps('currencies')}
            />
            <TagsInput
              label="Internal traffic"
              description={`IP addresses or ranges, such as 203.0.113.0/24, whose visits are not counted. ${listHint}`}
              acceptValueOnBlur
              readOnly={!mayWrite}
              {...form.getInputProps('excluded_networks')}
            />
          </Stack>
        </Panel>
        <Panel title="Segment">
          <TagsInput
            label="Traits that become contact fields"
            description={`As trait = field, such as plan = attributes.plan or company.name = company. ${listHint}`}
            acceptValueOnBlur
            readOnly={!mayWrite}
            value={form.values.segment_traits.map(({ trait, field }) => `${trait} = ${field}`)}
            onChange={(lines) => form.setFieldValue('segment_traits', lines.map(traitIn))}
            error={Object.entries(form.errors).find(([path]) => path.startsWith('segment_traits'))?.[1]}
          />
        </Panel>
        {mayWrite && <FormActions submit="Save settings" failed="Couldn't save the settings" />}
      </Stack>
    </Form>
  );
}
