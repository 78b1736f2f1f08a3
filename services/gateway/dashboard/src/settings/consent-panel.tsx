import { Radio, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Panel } from '../shell/panel.tsx';
import { type ContactSettings, useChangeContactSettings } from './account.ts';

const choices: readonly { value: ContactSettings['default_consent']; label: string; means: string }[] = [
  { value: 'subscribed', label: 'Subscribed', means: 'They can be written to at once.' },
  { value: 'pending', label: 'Pending', means: 'Nobody writes to them before they have confirmed.' },
];

export function ConsentPanel({ settings }: { settings: ContactSettings }) {
  const { mutate, error, isPending, variables } = useChangeContactSettings();
  const shown = isPending ? variables.default_consent : settings.default_consent;
  const change = (value: string) => {
    const choice = choices.find((one) => one.value === value);
    if (choice) mutate({ default_consent: choice.value }, { onSuccess: () => notifications.show({ message: 'Saved.' }) });
  };
  return (
    <Panel title="New contacts">
      <Stack gap="md">
        <Radio.Group
          label="E-mail consent of a contact that comes without a word on it"
          description="It holds for contacts created from then on."
          value={shown}
          onChange={change}
        >
          <Stack gap="sm" mt="sm">
            {choices.map(({ value, label, means }) => (
              <Radio key={value} value={value} label={label} description={means} />
            ))}
          </Stack>
        </Radio.Group>
        {error && <ErrorAlert error={error} title="That was not changed" />}
      </Stack>
    </Panel>
  );
}
