import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { optionIn, optionsOf } from '../form/options.ts';
import { channels, methods, statuses, useChangeConsent } from './consent.ts';
import { type ConsentDraft, consentChange } from './consent-change.ts';

/** Records a contact's consent with its evidence. */
export function ChangeConsent({ contact }: { contact: Contact }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Change
      </Button>
      <FormDialog opened={opened} onClose={close} title={`Consent of ${nameOf(contact)}`}>
        <ConsentForm contact={contact} onDone={close} />
      </FormDialog>
    </>
  );
}

const untouched: ConsentDraft = { channel: 'email', topic: '', status: 'subscribed', method: 'form', source: '', text: '', ip: '' };

function ConsentForm({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const [draft, setDraft] = useState(untouched);
  const { mutate, isPending, error } = useChangeConsent(contact);
  const set = (change: Partial<ConsentDraft>) => setDraft({ ...draft, ...change });
  const { change, path } = consentChange(draft);
  const evidence = `${path}/evidence`;
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate(change, { onSuccess: onDone });
  };

  return (
    <form onSubmit={save} noValidate>
      <Stack gap="md">
        <FormGrid>
          <NativeSelect
            label="Channel"
            data-autofocus
            data={optionsOf(channels)}
            value={draft.channel}
            onChange={(event) => set({ channel: optionIn(channels, event.currentTarget.value) ?? draft.channel })}
          />
          <TextInput
            label="Topic"
            placeholder="Whole channel"
            autoComplete="off"
            value={draft.topic}
            onChange={(event) => set({ topic: event.currentTarget.value })}
          />
          <NativeSelect
            label="Status"
            data={[...optionsOf(statuses), { value: '', label: 'Clear' }]}
            value={draft.status}
            onChange={(event) => set({ status: optionIn(statuses, event.currentTarget.value) ?? '' })}
          />
          <NativeSelect
            label="Method"
            disabled={draft.status === ''}
            data={optionsOf(methods)}
            value={draft.method}
            onChange={(event) => set({ method: optionIn(methods, event.currentTarget.value) ?? draft.method })}
          />
        </FormGrid>
        {draft.status !== '' && (
          <>
            <TextInput
              label="Source"
              placeholder="Newsletter form"
              autoComplete="off"
              value={draft.source}
              onChange={(event) => set({ source: event.currentTarget.value })}
              error={fieldError(error, `${evidence}/source`)}
            />
            <Textarea
              label="Consent text"
              autosize
              minRows={2}
              value={draft.text}
              onChange={(event) => set({ text: event.currentTarget.value })}
              error={fieldError(error, `${evidence}/text`)}
            />
            <TextInput
              label="IP address"
              autoComplete="off"
              value={draft.ip}
              onChange={(event) => set({ ip: event.currentTarget.value })}
              error={fieldError(error, `${evidence}/ip`)}
            />
          </>
        )}
        {error && (
          <ErrorAlert
            error={error}
            title="Couldn't save the consent"
            shownElsewhere={['source', 'text', 'ip'].map((name) => `${evidence}/${name}`)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Save consent
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
