import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { responseData, useApi } from '../api/api.ts';
import { labelOf } from '../email-design/merge-fields.ts';
import { DescriptionList } from '../page/description-list.tsx';

/** Chooses the contact that an email is rendered for, by its address; none for an empty one. */
export function PreviewContact({ onContact }: { onContact: (id: string | undefined) => void }) {
  const api = useApi();
  const [email, setEmail] = useState('');
  const find = useMutation({
    mutationFn: async () => {
      if (email.trim() === '') return undefined;
      const { items } = await responseData(api.GET('/v2/contacts', { params: { query: { email: email.trim() } } }));
      const [contact] = items;
      if (!contact) throw new Error(`No contact has the address ${email.trim()}.`);
      return contact.id;
    },
    onSuccess: onContact,
  });
  return (
    <Group gap="xs" align="start">
      <TextInput
        size="xs"
        aria-label="Preview as this contact"
        placeholder="Preview as ada@example.com"
        flex="1 1 160px"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter must not submit the form around it.
          event.preventDefault();
          find.mutate();
        }}
        error={find.error?.message}
      />
      <Button size="xs" variant="default" loading={find.isPending} onClick={() => find.mutate()}>
        Preview
      </Button>
    </Group>
  );
}

type Preview = { subject: string; preview_text: string | null; missing_fields: string[] };

/** What a mailbox shows of the email, and the fields that have no value. */
export const PreviewFacts = ({ preview: { subject, preview_text, missing_fields } }: { preview: Preview }) => (
  <>
    <DescriptionList items={{ Subject: subject, 'Preview text': preview_text }} />
    {missing_fields.length > 0 && (
      <Alert color="gray" role="note">
        No value for {missing_fields.map((field) => `“${labelOf(field)}”`).join(', ')}: left blank or replaced by the fallback in this
        preview.
      </Alert>
    )}
  </>
);
