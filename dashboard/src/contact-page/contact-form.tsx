import { Stack, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { ConsentField, consentMissing } from '../consent/consent-field.tsx';
import type { Contact } from '../contacts/contacts.ts';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import type { Draft } from '../form/kept-draft.tsx';
import { Panel } from '../page/panel.tsx';
import { SeenValueField } from '../rules/seen-value-field.tsx';
import { useSeenValues } from '../rules/seen-values.ts';
import { AttributeRows } from './attribute-rows.tsx';
import { type ContactDraft, comparableContact, draftOf, type PlaceField, type PlainField, validateContact } from './contact-draft.ts';

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
type Props = {
  contact?: Contact;
  submit: string;
  failed: string;
  saving: { isPending: boolean; error: Error | null };
  stored?: Draft<ContactDraft>['stored'];
  cancel: ReactNode;
  onSubmit: (draft: ContactDraft) => void;
};

export function ContactForm({ contact, submit, failed, saving, stored, cancel, onSubmit }: Props) {
  const tags = useSeenValues('tags');
  const form = useForm({
    initialValues: draftOf(contact),
    validate: { ...validateContact, consent: (consent) => (!contact && consent === '' ? consentMissing : null) },
  });

  return (
    <Form form={form} saving={saving} draft={{ comparable: comparableContact, ...(stored && { stored }) }} onSubmit={onSubmit}>
      <Stack gap="lg" maw={820}>
        <Panel title="Contact">
          <FormGrid>
            {fields.map(({ field, name, type, example }) => (
              <SeenValueField
                key={field}
                of={field}
                {...(type && { type })}
                label={name}
                {...(example && { placeholder: example })}
                {...form.getInputProps(field)}
              />
            ))}
            {!contact && <ConsentField label="Email consent" {...form.getInputProps('consent')} />}
          </FormGrid>
        </Panel>
        <Panel title="Address">
          <FormGrid>
            {places.map(({ field, name, example }) => (
              <SeenValueField
                key={field}
                of={`address.${field}`}
                label={name}
                {...(example && { placeholder: example })}
                {...form.getInputProps(`address.${field}`)}
              />
            ))}
          </FormGrid>
        </Panel>
        <Panel title="Tags and attributes">
          <Stack gap="md">
            <TagsInput label="Tags" description="Press Enter after each tag." data={[...tags]} {...form.getInputProps('tags')} />
            <AttributeRows {...form.getInputProps('attributes')} />
          </Stack>
        </Panel>
        <FormActions submit={submit} failed={failed} cancel={cancel} />
      </Stack>
    </Form>
  );
}
