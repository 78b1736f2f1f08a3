import { Select, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Panel } from '../page/panel.tsx';
import { useChangeAccount } from './account.ts';

type Choice = number | string | null;
type Field = 'session_idle_minutes' | 'session_lifetime_hours' | 'second_factor' | 'audit_retention_days' | 'installation_providers';

type Props = {
  title: string;
  label: string;
  description: string;
  field: Field;
  value: Choice;
  offered: readonly (readonly [Choice, string])[];
  /** The text of a value that is not offered, because it was set over the API. */
  otherwise?: (value: Choice) => string;
};

/** A panel with one setting of the account, which is saved when it is chosen. */
export function AccountChoice({ title, label, description, field, value, offered, otherwise = String }: Props) {
  const { mutate, variables, isPending, error } = useChangeAccount();
  const wanted = isPending ? variables?.[field] : undefined;
  const chosen = wanted === undefined ? value : wanted;
  const own = offered.some(([one]) => one === chosen) ? [] : ([[chosen, otherwise(chosen)]] as const);
  const choices = [...own, ...offered];
  return (
    <Panel title={title}>
      <Stack gap="md" maw={360}>
        <Select
          label={label}
          description={description}
          data={choices.map(([one, text]) => ({ value: String(one), label: text }))}
          value={String(chosen)}
          allowDeselect={false}
          onChange={(text) => {
            const choice = choices.find(([one]) => String(one) === text);
            if (choice) mutate({ [field]: choice[0] }, { onSuccess: () => notifications.show({ message: 'Saved.' }) });
          }}
        />
        {error && <ErrorAlert error={error} title="Couldn't save the change" />}
      </Stack>
    </Panel>
  );
}
