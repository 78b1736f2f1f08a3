import { Select, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Panel } from '../page/panel.tsx';
import { useChangeAccount } from './account.ts';

const offered = [
  [30, '30 minutes'],
  [60, '1 hour'],
  [480, '8 hours'],
  [1_440, '1 day'],
  [4_320, '3 days'],
  [10_080, '7 days'],
] as const;

export function SessionPanel({ account: { session_idle_minutes: minutes } }: { account: { session_idle_minutes: number } }) {
  const { mutate, variables, isPending, error } = useChangeAccount();
  const chosen = isPending && variables && 'session_idle_minutes' in variables ? variables.session_idle_minutes : minutes;
  const own = offered.some(([value]) => value === chosen) ? [] : [{ value: String(chosen), label: `${chosen} minutes` }];
  return (
    <Panel title="Sessions">
      <Stack gap="md" maw={360}>
        <Select
          label="Sign out after"
          description="Users who have not used the dashboard for this time must sign in again. No session lasts longer than 7 days."
          data={[...own, ...offered.map(([value, label]) => ({ value: String(value), label }))]}
          value={String(chosen)}
          allowDeselect={false}
          onChange={(value) =>
            value !== null &&
            mutate({ session_idle_minutes: Number(value) }, { onSuccess: () => notifications.show({ message: 'Saved.' }) })
          }
        />
        {error && <ErrorAlert error={error} title="Couldn't change the time" />}
      </Stack>
    </Panel>
  );
}
