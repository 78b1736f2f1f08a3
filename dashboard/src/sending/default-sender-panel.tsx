import { Autocomplete, Stack, Text, TextInput } from '@mantine/core';
import { FormGrid } from '../form/form-grid.tsx';
import { Panel } from '../page/panel.tsx';
import { senderAddresses } from './sender-addresses.ts';
import { useSenders } from './senders.ts';
import type { SendingFields } from './sending-settings.ts';

const none = { email: '', name: null, reply_to: null };

/** The sender that new campaigns and email steps begin with. An account without an address has none. */
export function DefaultSenderPanel({ form }: SendingFields) {
  const { data: senders = [] } = useSenders();
  const sender = form.values.default_sender ?? none;
  const domains = senders.filter(({ status }) => status === 'verified').map(({ domain }) => domain);
  const set = (changed: Partial<typeof sender>) => {
    const next = { ...sender, ...changed };
    form.setFieldValue('default_sender', next.email === '' && next.name === null && next.reply_to === null ? null : next);
  };
  const orNull = (text: string) => (text === '' ? null : text);
  return (
    <Panel title="Default sender">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          New campaigns and the email steps of workflows begin with this sender. Each can change it.
        </Text>
        <FormGrid>
          <TextInput
            label="From name"
            autoComplete="off"
            value={sender.name ?? ''}
            onChange={({ currentTarget: { value } }) => set({ name: orNull(value) })}
            error={form.errors['default_sender.name']}
          />
          <Autocomplete
            type="email"
            label="From email"
            placeholder="news@example.com"
            autoComplete="off"
            data={senderAddresses(sender.email, [], domains)}
            value={sender.email}
            onChange={(email) => set({ email })}
            error={form.errors['default_sender.email']}
          />
          <TextInput
            type="email"
            label="Reply-to"
            placeholder="Same as From email"
            autoComplete="off"
            value={sender.reply_to ?? ''}
            onChange={({ currentTarget: { value } }) => set({ reply_to: orNull(value) })}
            error={form.errors['default_sender.reply_to']}
          />
        </FormGrid>
      </Stack>
    </Panel>
  );
}
