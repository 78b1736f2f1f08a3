import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { answerOf, useApi } from '../api/api.ts';

/** Leads from an e-mail address or an id to what the segment makes of that contact. */
export function FindMembership({ segmentId }: { segmentId: string }) {
  const api = useApi();
  const navigate = useNavigate();
  const [who, setWho] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (text: string) => {
      if (text.startsWith('contact_')) return text;
      const { items } = await answerOf(api.GET('/v2/contacts', { params: { query: { email: text } } }));
      const [contact] = items;
      if (!contact) throw new Error(`No contact has the address ${text}.`);
      return contact.id;
    },
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
          aria-label="E-mail or id of a contact"
          placeholder="ada@example.com"
          value={who}
          onChange={(event) => setWho(event.currentTarget.value)}
          error={error?.message}
          flex="1 1 220px"
          maw={360}
        />
        <Button type="submit" variant="default" loading={isPending}>
          Explain
        </Button>
      </Group>
    </form>
  );
}
