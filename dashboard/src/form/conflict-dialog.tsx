import { Button, Group, Modal, ScrollArea, Stack, Table, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { differencesOf } from './differences.ts';
import type { Draft } from './kept-draft.tsx';

type Props<Values> = {
  form: UseFormReturnType<Values>;
  draft: Draft<Values>;
  onClose: () => void;
  /** Called once a version is chosen; saves what was typed here over the other version if it is kept. */
  onChoice: (keepsOwn: boolean) => void;
};

/** Both versions of a resource that was saved elsewhere in the meantime, by a person or a program, with the choice between them. */
export function ConflictDialog<Values extends object>({ form, draft, onClose, onChoice }: Props<Values>) {
  const id = useId();
  const { fill = form.setValues, comparable = (values: Values): object => values, named, stored } = draft;
  const { data: theirs, error } = useQuery({
    queryKey: ['conflict', id, stored?.revision],
    queryFn: () => stored?.current() ?? null,
    // The user chooses by it, so it is never served from the cache.
    ...{ staleTime: 0, gcTime: 0 },
  });
  const choose = (keepsOwn: boolean) => {
    if (!theirs) return;
    stored?.onRevision(theirs.revision);
    onChoice(keepsOwn);
    if (keepsOwn) return;
    fill(theirs.values);
    form.resetDirty(theirs.values);
  };
  const differences = theirs && differencesOf(comparable(theirs.values), comparable(form.values), named);
  return (
    <Modal opened onClose={onClose} size="xl" title="A newer version was saved" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <Text size="sm">
          Another user or a program saved it after you opened it. Nothing is lost yet: compare the versions, and choose the one to keep.
        </Text>
        {error && <ErrorAlert error={error} title="Couldn't load the other version" />}
        {!differences && !error && <Outline of="the other version" shape="rows" />}
        {differences?.length === 0 && <Text size="sm">Both versions have the same content.</Text>}
        {differences && differences.length > 0 && (
          <ScrollArea.Autosize mah="50vh">
            <Table aria-label="Versions" verticalSpacing={6} layout="fixed">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w={140}>Field</Table.Th>
                  <Table.Th>Saved version</Table.Th>
                  <Table.Th>Your version</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {differences.map(({ field, theirs, yours }) => (
                  <Table.Tr key={field}>
                    <Table.Td>{field}</Table.Td>
                    {[theirs, yours].map((text, index) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the two versions do not move.
                      <Table.Td key={index} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', verticalAlign: 'top' }}>
                        {text}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </ScrollArea.Autosize>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep editing
          </Button>
          <Button variant="default" disabled={!theirs} onClick={() => choose(false)}>
            Load the newer version
          </Button>
          <Button disabled={!theirs} onClick={() => choose(true)}>
            Overwrite with yours
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
