import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { ChoiceField } from '../form/choice-field.tsx';
import { Panel } from '../page/panel.tsx';
import { type ContactSettings, useChangeContactSettings } from './account.ts';

const choices: readonly { value: ContactSettings['default_consent']; label: string; means: string }[] = [
  { value: 'subscribed', label: 'Subscribed', means: 'They receive your campaigns immediately.' },
  { value: 'pending', label: 'Pending', means: 'They receive nothing until they confirm.' },
];

export function DefaultConsentPanel({ settings }: { settings: ContactSettings }) {
  const { mutate, error } = useChangeContactSettings();
  // Shows the choice while it is being saved, and the saved value again if that fails.
  const [chosen, setChosen] = useState(settings.default_consent);
  const change = (value: string) => {
    const choice = choices.find((one) => one.value === value);
    if (!choice) return;
    setChosen(choice.value);
    const onSuccess = () => notifications.show({ message: 'Saved.' });
    mutate({ default_consent: choice.value }, { onSuccess, onError: () => setChosen(settings.default_consent) });
  };
  return (
    <Panel title="New contacts">
      <Stack gap="md">
        <ChoiceField
          label="Default email consent for new contacts"
          description="For contacts created through the API without a consent status. Applies from now on. The dashboard and imports always ask."
          choices={choices}
          value={chosen}
          onChange={change}
        />
        {error && <ErrorAlert error={error} title="Couldn't save the change" />}
      </Stack>
    </Panel>
  );
}
