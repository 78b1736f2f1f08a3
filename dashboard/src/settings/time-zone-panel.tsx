import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorAlert } from '../api/error-alert.tsx';
import { ZonePicker } from '../form/zone-picker.tsx';
import { Panel } from '../page/panel.tsx';
import { useChangeAccount } from './account.ts';

export function TimeZonePanel({ account: { timezone } }: { account: { timezone: string } }) {
  const { mutate, variables, isPending, error } = useChangeAccount();
  const chosen = isPending && variables && 'timezone' in variables ? variables.timezone : timezone;
  const change = (wanted: string) => {
    if (wanted === '' || wanted === timezone) return;
    mutate({ timezone: wanted }, { onSuccess: () => notifications.show({ message: 'Saved.' }) });
  };
  return (
    <Panel title="Time zone">
      <Stack gap="md" maw={360}>
        <ZonePicker
          label="Time zone of the account"
          description="The dashboard shows times, and reads the times you enter, in this time zone."
          value={chosen}
          onChange={change}
        />
        {error && <ErrorAlert error={error} title="Couldn't change the time zone" />}
      </Stack>
    </Panel>
  );
}
