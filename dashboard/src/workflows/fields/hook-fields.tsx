import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { optionIn, optionsOf } from '../../form/options.ts';
import type { Definition } from '../definition.ts';
import type { Fault } from './fault.ts';

type Trigger = Definition['trigger'];

const contactNames = { email: 'By its email address', contact_id: 'By its ID' } as const;

type HookProps = {
  trigger: Extract<Trigger, { type: 'webhook_received' }>;
  onChange: (trigger: Trigger, tag: string | null) => void;
  fault: Fault;
};

/** How the body of an inbound request names its contact. */
export function HookFields({ trigger, onChange, fault }: HookProps) {
  const { contact, generation = 1 } = trigger;
  const by = contact.contact_id === undefined ? 'email' : 'contact_id';
  const pointer = contact[by] ?? '';
  return (
    <>
      <NativeSelect
        label="The body names the contact"
        data={optionsOf(contactNames)}
        value={by}
        onChange={(event) => {
          const chosen = optionIn(contactNames, event.currentTarget.value) ?? 'email';
          onChange({ ...trigger, contact: { [chosen]: chosen === 'email' ? '/email' : '/contact_id' } }, null);
        }}
      />
      <TextInput
        label="At"
        description="A JSON pointer, such as /customer/email. Steps read the rest of the body as {{ data.<name> }}."
        autoComplete="off"
        spellCheck={false}
        value={pointer}
        onChange={(event) => onChange({ ...trigger, contact: { [by]: event.currentTarget.value } }, 'trigger/contact')}
        error={fault('/contact')}
      />
      <Text size="xs" c="dimmed">
        Admins can find the URL on the workflow's page. Anyone who knows it can start runs.
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={() => onChange({ ...trigger, generation: generation + 1 }, null)}>
          Replace the URL when saved
        </Button>
      </Group>
    </>
  );
}
