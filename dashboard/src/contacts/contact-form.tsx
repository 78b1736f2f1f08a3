import { Button, Group, Stack, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { ConsentField, consentMissing } from '../consent/consent-field.tsx';
import { EditForm } from '../form/edit-form.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { isSame } from '../json/is-same.ts';
import { ButtonLink } from '../shell/button-link.tsx';
import { Panel } from '../shell/panel.tsx';
import { AttributeRows } from './attribute-rows.tsx';
import { type ContactDraft, draftOf, type PlaceField, type PlainField } from './contact-draft.ts';
import type { Contact } from './contacts.ts';

const fields: readonly { field: PlainField; name: string; type?: 'email' | 'tel'; example?: string }[] = [
  { field: 'email', name: 'Email', type: 'email' },
  { field: 'phone', name: 'Phone', type: 'tel', example: '+491701234567' },
  { field: 'external_id', name: 'External ID', example: 'The ID in your own system' },
  { field: 'first_name', name: 'First name' },
  { field: 'last_name', name: 'Last name' },
  { field: 'company', name: 'Company' },
  { field: 'job_title', name: 'Job title' },
  { field: 'locale', name: 'Language', example: 'de-DE' },
  { field: 'timezone', name: 'Time zone', example: 'Europe/Berlin' },
];
const places: readonly { field: PlaceField; name: string; example?: string }[] = [
  { field: 'line1', name: 'Street' },
  { field: 'line2', name: 'Address line 2' },
  { field: 'postal_code', name: 'Postal code' },
  { field: 'city', name: 'City' },
  { field: 'region', name: 'Region' },
  { field: 'country', name: 'Country', example: 'DE' },
];
const shown = [...fields.map(({ field }) => `/${field}`), ...places.map(({ field }) => `/address/${field}`)];

type Props = {
  contact?: Contact;
  submit: string;
  failed: string;
  isPending: boolean;
  error: Error | null;
  onSubmit: (draft: ContactDraft) => void;
};

export function ContactForm({ contact, submit, failed, isPending, error, onSubmit }: Props) {
  const [opened] = useState(() => draftOf(contact));
  const [draft, setDraft] = useState(opened);
  const [isAsked, setAsked] = useState(false);
  const isConsentMissing = !contact && draft.consent === '';
  const send = () => {
    setAsked(true);
    if (!isConsentMissing) onSubmit(draft);
  };

  return (
    <EditForm isChanged={!isSame(draft, opened)} isPending={isPending} onSubmit={send}>
      <Stack gap="lg" maw={820}>
        <Panel title="Contact">
          <FormGrid>
            {fields.map(({ field, name, type = 'text', example }) => (
              <TextInput
                key={field}
                type={type}
                label={name}
                {...(example && { placeholder: example })}
                autoComplete="off"
                value={draft.fields[field]}
                onChange={(event) => setDraft({ ...draft, fields: { ...draft.fields, [field]: event.currentTarget.value } })}
                error={fieldError(error, `/${field}`)}
              />
            ))}
            {!contact && (
              <ConsentField
                label="Email consent"
                value={draft.consent}
                onChange={(consent) => setDraft({ ...draft, consent })}
                error={isAsked && isConsentMissing ? consentMissing : undefined}
              />
            )}
          </FormGrid>
        </Panel>
        <Panel title="Address">
          <FormGrid>
            {places.map(({ field, name, example }) => (
              <TextInput
                key={field}
                label={name}
                {...(example && { placeholder: example })}
                autoComplete="off"
                value={draft.address[field]}
                onChange={(event) => setDraft({ ...draft, address: { ...draft.address, [field]: event.currentTarget.value } })}
                error={fieldError(error, `/address/${field}`)}
              />
            ))}
          </FormGrid>
        </Panel>
        <Panel title="Tags and attributes">
          <Stack gap="md">
            <TagsInput
              label="Tags"
              description="Press Enter after each."
              value={draft.tags}
              onChange={(tags) => setDraft({ ...draft, tags })}
              error={fieldError(error, '/tags')}
            />
            <AttributeRows attributes={draft.attributes} onChange={(attributes) => setDraft({ ...draft, attributes })} />
          </Stack>
        </Panel>
        {error && <ErrorAlert error={error} title={failed} shownElsewhere={shown} />}
        <Group justify="flex-end" gap="sm">
          {contact ? (
            <ButtonLink to="/contacts/$id" params={{ id: contact.id }} variant="default">
              Cancel
            </ButtonLink>
          ) : (
            <ButtonLink to="/contacts" variant="default">
              Cancel
            </ButtonLink>
          )}
          <Button type="submit" loading={isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </EditForm>
  );
}
