import { Button, List, Skeleton, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { Contact } from '../contacts/contacts.ts';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { useContactSegments } from '../segments/memberships.ts';

/** The segments the contact is in now; each links to the explanation. */
export function ContactSegments({ contact: { id } }: { contact: Contact }) {
  const { rows, error, isPending, hasMore, isLoadingMore, loadMore, reload } = useContactSegments(id);
  return (
    <Panel title="Segments">
      {error && <ErrorAlert error={error} title="Couldn't load the segments" onRetry={() => void reload()} />}
      {isPending && <Skeleton height={24} role="status" aria-label="Loading the segments" />}
      {!isPending && !error && rows.length === 0 && (
        <Text size="sm" c="dimmed">
          Not in any segment
        </Text>
      )}
      <List size="sm" spacing={4} listStyleType="none">
        {rows.map((segment) => (
          <List.Item key={segment.id}>
            <TextLink to="/segments/$id/contacts/$contactId" params={{ id: segment.id, contactId: id }}>
              {segment.name}
            </TextLink>
          </List.Item>
        ))}
      </List>
      {hasMore && (
        <Button mt="sm" size="xs" variant="default" loading={isLoadingMore} onClick={() => void loadMore()}>
          Load more
        </Button>
      )}
    </Panel>
  );
}
