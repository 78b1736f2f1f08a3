import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { responseData, useApi } from '../api/api.ts';
import { ErrorAlert } from '../api/error-alert.tsx';
import { counted } from '../numbers/format-number.ts';
import { type Segment, segmentChanged } from './segments.ts';

type Change = 'add' | 'remove';

function useChangeMembers({ id }: Segment) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ change, text }: { change: Change; text: string }) => {
      const request = { params: { path: { id } }, body: { contacts: namedIn(text) } };
      const path = '/v2/segments/{id}/contacts';
      return responseData(change === 'add' ? api.POST(path, request) : api.DELETE(path, request));
    },
    onSuccess: () => segmentChanged(queries, id),
  });
}

/** The contacts in a text, one for each line, comma or space: an email address, a contact ID, or else an external ID. */
export const namedIn = (text: string) =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((name) => (name.includes('@') ? { email: name } : name.startsWith('contact_') ? { id: name } : { external_id: name }));

/** Adds contacts to a static segment and removes them. */
export function StaticMembers({ segment }: { segment: Segment }) {
  const [text, setText] = useState('');
  const { mutate, data, error, isPending, variables } = useChangeMembers(segment);
  const change = (wanted: Change) => mutate({ change: wanted, text }, { onSuccess: () => setText('') });
  const unknown = data?.items.filter(({ status }) => status === 'not_found').length ?? 0;
  const isEmpty = text.trim() === '';
  return (
    <Stack gap="sm" maw={560}>
      <Textarea
        label="Contacts"
        description="Email addresses, contact IDs or external IDs, one per line, up to 1,000 at a time."
        autosize
        minRows={2}
        maxRows={10}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="sm">
        <Button disabled={isEmpty} loading={isPending && variables.change === 'add'} onClick={() => change('add')}>
          Add
        </Button>
        <Button variant="default" disabled={isEmpty} loading={isPending && variables.change === 'remove'} onClick={() => change('remove')}>
          Remove
        </Button>
      </Group>
      {error && <ErrorAlert error={error} title="Couldn't change the members" />}
      <Text size="sm" role="status">
        {data && variables && `${counted(data.changed, 'contact')} ${variables.change === 'add' ? 'added' : 'removed'}.`}
        {unknown > 0 && ` ${counted(unknown, 'contact')} not found.`}
      </Text>
    </Stack>
  );
}
