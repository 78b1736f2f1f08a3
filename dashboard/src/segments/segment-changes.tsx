import { Button, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { ContactName } from '../contacts/contact-name.tsx';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { type SegmentChange, useChanges } from './history.ts';
import classes from './segment-history.module.css';
import type { Segment } from './segments.ts';

const causes: Record<NonNullable<SegmentChange['cause']>, string> = {
  contact: 'the contact changed',
  activity: 'new activity',
  time: 'time passed',
  definition: 'the conditions changed',
  deletion: 'the contact or the segment was deleted',
  manual: 'added or removed by hand',
  copy: 'copied from another segment',
  merge: 'contacts were merged',
  backfill: 'past events arrived',
};

/** Who entered and left, and why. */
export function SegmentChanges({ segment }: { segment: Segment }) {
  const changes = useChanges(segment);
  const { rows, error, isPending, hasMore, isLoadingMore, loadMore, reload } = changes;
  return (
    <Panel title="Changes">
      {error && <ErrorAlert error={error} title="Couldn't load the changes" onRetry={() => void reload()} />}
      {isPending && <Outline of="the changes" shape="rows" />}
      {!isPending && !error && rows.length === 0 && (
        <Text c="dimmed" size="sm">
          No contact has entered or left yet.
        </Text>
      )}
      {rows.length > 0 && (
        <ul className={classes.rows} aria-label="Contacts that entered or left">
          {rows.map(({ contact_id, change, at, cause }) => (
            <li key={`${contact_id} ${change} ${at}`}>
              <TextLink to="/segments/$id/contacts/$contactId" params={{ id: segment.id, contactId: contact_id }} underline="always">
                <ContactName id={contact_id} />
              </TextLink>{' '}
              {change}
              {cause && `: ${causes[cause]}`}
              <Text component="span" size="sm" c="dimmed">
                {' '}
                <RelativeTime at={at} />
              </Text>
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <Button mt="sm" size="xs" variant="default" loading={isLoadingMore} onClick={() => void loadMore()}>
          More changes
        </Button>
      )}
    </Panel>
  );
}
