import { Button, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { count, counted } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { RuleTree } from '../rules/rule-tree.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { useVersions } from './history.ts';
import classes from './segment-history.module.css';
import type { Segment } from './segments.ts';

/** Every definition that the segment has had, with the members before and after. */
export function SegmentVersions({ segment, named }: { segment: Segment; named: (id: string) => string }) {
  const { rows, error, isPending, hasMore, isLoadingMore, loadMore, reload } = useVersions(segment);
  return (
    <Panel title="Versions">
      {error && <ErrorAlert error={error} title="Couldn't load the versions" onRetry={() => void reload()} />}
      {isPending && <Outline of="the versions" shape="rows" count={2} />}
      <ol className={classes.rows} aria-label="Versions of the conditions">
        {rows.map(({ version, definition, created_at, members_before, members_after }) => (
          <li key={version}>
            <strong>Version {version}</strong>{' '}
            <Text component="span" size="sm" c="dimmed">
              <RelativeTime at={created_at} />
              {members_before !== null &&
                members_after !== null &&
                `, from ${count(members_before)} to ${counted(members_after, 'member')}`}
            </Text>
            {definition && version !== segment.version && <RuleTree rule={definition} named={named} />}
          </li>
        ))}
      </ol>
      {hasMore && (
        <Button mt="sm" size="xs" variant="default" loading={isLoadingMore} onClick={() => void loadMore()}>
          Earlier versions
        </Button>
      )}
    </Panel>
  );
}
