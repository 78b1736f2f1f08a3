import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useApi } from '../api/api.ts';
import { findContact } from '../contacts/contacts.ts';

/** Finds a contact by email or ID and opens the explanation of its membership. */
export function FindMembership({ segmentId }: { segmentId: string }) {
  const api = useApi();
  const navigate = useNavigate();
  const [who, setWho] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (text: string) => (text.startsWith('contact_') ? text : (await findContact(api, text)).id),
    onSuccess: (contactId) => navigate({ to: '/segments/$id/contacts/$contactId', params: { id: segmentId, contactId } }),
  });
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (who.trim() !== '' && !isPending) mutate(who.trim());
  };

  return (
    <form onSubmit={find}>
      <Group align="start" gap="sm">
        <TextInput
          aria-label="Email or ID of a contact"
          placeholder="ada@example.com"
          value={who}
          onChange={(event) => setWho(event.currentTarget.value)}
          error={error?.message}
          flex="1 1 220px"
          maw={360}
        />
        <Button type="submit" variant="default" loading={isPending}>
          Check
        </Button>
      </Group>
    </form>
  );
}
