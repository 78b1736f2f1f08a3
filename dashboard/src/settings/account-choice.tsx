import { Select, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Panel } from '../page/panel.tsx';
import { useChangeAccount } from './account.ts';

type Choice = number | null;
type Field = 'session_idle_minutes' | 'audit_retention_days';

type Props = {
  title: string;
  label: string;
  description: string;
  field: Field;
  value: Choice;
  offered: readonly (readonly [Choice, string])[];
  /** The text of a value that is not offered, because it was set over the API. */
  otherwise: (value: number) => string;
};

/** A panel with one setting of the account, which is saved when it is chosen. */
export function AccountChoice({ title, label, description, field, value, offered, otherwise }: Props) {
  const { mutate, variables, isPending, error } = useChangeAccount();
  const wanted = isPending ? variables?.[field] : undefined;
  const chosen = wanted === undefined ? value : wanted;
  const own = chosen === null || offered.some(([one]) => one === chosen) ? [] : [{ value: String(chosen), label: otherwise(chosen) }];
  return (
    <Panel title={title}>
      <Stack gap="md" maw={360}>
        <Select
          label={label}
          description={description}
          data={[...own, ...offered.map(([one, text]) => ({ value: String(one), label: text }))]}
          value={String(chosen)}
          allowDeselect={false}
          onChange={(text) =>
            text !== null &&
            mutate({ [field]: text === 'null' ? null : Number(text) }, { onSuccess: () => notifications.show({ message: 'Saved.' }) })
          }
        />
        {error && <ErrorAlert error={error} title="Couldn't save the change" />}
      </Stack>
    </Panel>
  );
}
