import { Button, List, Skeleton, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useApi } from '../api/api.ts';
import { ErrorAlert } from '../api/error-alert.tsx';
import { membershipQuery } from '../segments/memberships.ts';
import { useSegments } from '../segments/segments.ts';
import { TextLink } from '../shell/button-link.tsx';
import { Panel } from '../shell/panel.tsx';
import type { Contact } from './contacts.ts';

/** The segments the contact is in now; each links to the explanation. */
export function ContactSegments({ contact: { id } }: { contact: Contact }) {
  const api = useApi();
  const segments = useSegments({}, 20);
  const memberships = useQueries({ queries: segments.rows.map((segment) => membershipQuery(api, segment.id, id)) });
  const isPending = segments.isPending || memberships.some((membership) => membership.isPending);
  const error = segments.error ?? memberships.find((membership) => membership.error)?.error;
  const holding = segments.rows.filter((_, index) => memberships[index]?.data?.member);

  return (
    <Panel title="Segments">
      {error && <ErrorAlert error={error} title="Couldn't load the segments" />}
      {isPending && !error && <Skeleton height={24} role="status" aria-label="Loading the segments" />}
      {!isPending && !error && holding.length === 0 && (
        <Text size="sm" c="dimmed">
          {segments.hasMore ? 'Not in the newest segments' : 'Not in any segment'}
        </Text>
      )}
      <List size="sm" spacing={4} listStyleType="none">
        {holding.map((segment) => (
          <List.Item key={segment.id}>
            <TextLink to="/segments/$id/contacts/$contactId" params={{ id: segment.id, contactId: id }}>
              {segment.name}
            </TextLink>
          </List.Item>
        ))}
      </List>
      {segments.hasMore && (
        <Button mt="sm" size="xs" variant="default" loading={segments.isLoadingMore} onClick={() => void segments.loadMore()}>
          Check more segments
        </Button>
      )}
    </Panel>
  );
}
