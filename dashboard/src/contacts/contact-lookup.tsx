import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { RequestFailed } from '../api/errors.ts';

type Props = {
  submit: string;
  lookup: { isPending: boolean; error: Error | null };
  /** Called with an email address or a contact ID. */
  onSubmit: (text: string) => void;
};

/** Asks for a contact by email or ID. */
export function ContactLookup({ submit, lookup: { isPending, error }, onSubmit }: Props) {
  const [text, setText] = useState('');
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '' && !isPending) onSubmit(text.trim());
  };
  const detail = error instanceof RequestFailed ? error.details[0]?.message : undefined;

  return (
    <form onSubmit={find}>
      <Group align="start" gap="sm">
        <TextInput
          aria-label="Email or ID of a contact"
          placeholder="ada@example.com"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={detail ?? error?.message}
          flex="1 1 220px"
          maw={360}
        />
        <Button type="submit" variant="default" loading={isPending}>
          {submit}
        </Button>
      </Group>
    </form>
  );
}
