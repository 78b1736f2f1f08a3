import { NativeSelect, Stack, Switch } from '@mantine/core';
import { optionsOf } from '../form/options.ts';
import { Panel } from '../page/panel.tsx';
import type { BuilderProps } from './builder.ts';

const proofs = { auto: 'While the form is flooded', always: 'Always', off: 'Never' };

/** What keeps robots out, beyond the hidden field and the limits that every form has. */
export function ProtectionPanel({ form }: Pick<BuilderProps, 'form'>) {
  return (
    <Panel title="Protection">
      <Stack gap="md">
        <NativeSelect
          label="Proof of work"
          description="The browser computes for about a second. Nobody has to read images, and nothing leaves the platform."
          data={optionsOf(proofs)}
          {...form.getInputProps('captcha')}
        />
        <Switch
          label="Reject disposable addresses"
          description="Visitors are asked for a permanent address instead."
          {...form.getInputProps('reject_disposable_addresses', { type: 'checkbox' })}
        />
      </Stack>
    </Panel>
  );
}
