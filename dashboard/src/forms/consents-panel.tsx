import { ActionIcon, Button, Checkbox, Group, MultiSelect, NativeSelect, Stack, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import formClasses from '../form/editor.module.css';
import { Panel } from '../page/panel.tsx';
import { useSendingSettings } from '../sending/sending-settings.ts';
import type { BuilderProps } from './builder.ts';
import { type ConsentDraft, newConsent } from './form-draft.ts';
import classes from './forms.module.css';
import { TextsInput } from './texts-input.tsx';

const maxConsents = 5;
const channels = [
  { value: 'email', label: 'Email' },
  { value: 'sms', label: 'Text messages (SMS)' },
];
const displays = [
  { value: 'checkbox', label: 'Checkbox' },
  { value: 'notice', label: 'Notice: submitting agrees' },
];

/** What visitors agree to, in the words that are kept as evidence. */
export function ConsentsPanel({ form, language }: BuilderProps) {
  const { consents } = form.values;
  const set = (next: ConsentDraft[]) => {
    form.clearErrors();
    form.setFieldValue('consents', next);
  };
  return (
    <Panel title="Consent">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          The wording is stored with each submission, as evidence. Without consent, contacts are created but get no marketing.
        </Text>
        {consents.length > 0 && (
          <ul className={classes.cards} aria-label="Consent">
            {consents.map((consent, index) => (
              <ConsentCard
                key={consent.key}
                {...{ form, language, consent, index }}
                onChange={(change) => form.setFieldValue(`consents.${index}`, { ...consent, ...change })}
                onRemove={() => set(consents.toSpliced(index, 1))}
              />
            ))}
          </ul>
        )}
        {consents.length < maxConsents && (
          <Button
            variant="default"
            className={classes.add ?? ''}
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => set([...consents, newConsent('email', form.values)])}
          >
            Ask for consent
          </Button>
        )}
      </Stack>
    </Panel>
  );
}

type CardProps = BuilderProps & {
  consent: ConsentDraft;
  index: number;
  onChange: (change: Partial<ConsentDraft>) => void;
  onRemove: () => void;
};

function ConsentCard({ form, language, consent, index, onChange, onRemove }: CardProps) {
  const { data: settings } = useSendingSettings();
  const topics = settings?.topics ?? [];
  const data = [
    ...topics.map(({ id, name }) => ({ value: id, label: name })),
    ...consent.topics.filter((topic) => !topics.some(({ id }) => id === topic)).map((topic) => ({ value: topic, label: topic })),
  ];
  return (
    <li className={classes.card}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" fw={500}>
            Consent {index + 1}
          </Text>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Remove consent ${index + 1}`} onClick={onRemove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
        <div className={formClasses.pair}>
          <NativeSelect
            label="Channel"
            data={channels}
            value={consent.channel}
            onChange={({ currentTarget: { value } }) => onChange({ channel: value === 'sms' ? 'sms' : 'email' })}
          />
          {data.length > 0 && (
            <MultiSelect
              label="Topics"
              placeholder={consent.topics.length === 0 ? 'All of the channel' : ''}
              data={data}
              value={consent.topics}
              onChange={(chosen) => onChange({ topics: chosen })}
            />
          )}
          <NativeSelect
            label="Shown as"
            data={displays}
            value={consent.display}
            onChange={({ currentTarget: { value } }) => onChange({ display: value === 'notice' ? 'notice' : 'checkbox' })}
          />
        </div>
        <TextsInput
          label="Wording"
          isLong
          {...{ language, fallback: form.values.language }}
          texts={consent.text}
          onChange={(text) => onChange({ text })}
          error={form.errors[`consents.${index}.text`]}
        />
        {consent.display === 'checkbox' && (
          <Checkbox
            label="Required to submit the form"
            checked={consent.required}
            onChange={({ currentTarget: { checked } }) => onChange({ required: checked })}
          />
        )}
      </Stack>
    </li>
  );
}
