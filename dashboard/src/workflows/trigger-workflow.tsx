import { Button, Group, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { fieldError } from '../api/request-failed.ts';
import { useTriggerWorkflow } from './workflows.ts';

/** Enrolls a contact and opens its run. */
export function TriggerWorkflow({ id }: { id: string }) {
  const navigate = useNavigate();
  const [who, setWho] = useState('');
  const { mutate, isPending, error } = useTriggerWorkflow(id);
  const begin = (event: FormEvent) => {
    event.preventDefault();
    const named = who.trim();
    if (named === '' || isPending) return;
    mutate(named.startsWith('contact_') ? { contact_id: named } : { email: named }, {
      onSuccess: (runId) => void navigate({ to: '/workflows/runs/$runId', params: { runId } }),
    });
  };

  return (
    <form onSubmit={begin}>
      <Group align="start" gap="sm">
        <TextInput
          aria-label="Email or ID of a contact"
          placeholder="ada@example.com"
          value={who}
          onChange={(event) => setWho(event.currentTarget.value)}
          error={fieldError(error, '/email') ?? fieldError(error, '/contact_id') ?? error?.message}
          flex="1 1 220px"
          maw={360}
        />
        <Button type="submit" variant="default" loading={isPending}>
          Enroll
        </Button>
      </Group>
    </form>
  );
}
