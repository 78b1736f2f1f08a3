import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { List } from '../lists/use-list.ts';
import { RelativeTime } from '../time/relative-time.tsx';

type Version = { version: number; created_at: string };

type Props<One extends Version> = {
  /** The ID of what has these versions. */
  id: string;
  /** The current version. */
  current: number;
  /** Reads them, newest first, once they are opened. */
  useVersions: (id: string) => List<One>;
  /** What is beside the time of a version. */
  note?: (version: One) => string;
  /** What a version looks like. */
  show: (version: One) => ReactNode;
  /** Puts a version into the editor; nothing is saved yet. Without it, versions are only shown. */
  onRestore?: ((version: One) => void) | undefined;
};

/** The saved versions of what is edited, beside the editor. */
export function Versions<One extends Version>({ onRestore, ...list }: Props<One>) {
  const [isOpen, setOpen] = useState(false);
  const restore =
    onRestore &&
    ((version: One) => {
      onRestore(version);
      setOpen(false);
    });
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Versions
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Versions"
        position="right"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isOpen && <ListOf {...list} onRestore={restore} />}
      </Drawer>
    </>
  );
}

function ListOf<One extends Version>({ id, current, useVersions, note, show, onRestore }: Props<One>) {
  const versions = useVersions(id);
  const [shown, setShown] = useState(current);
  return (
    <Stack gap="md">
      {versions.error && <ErrorAlert error={versions.error} title="Couldn't load the versions" onRetry={() => void versions.reload()} />}
      {versions.rows.map((version) => (
        <Stack key={version.version} gap="xs">
          <Group justify="space-between" wrap="nowrap">
            <div>
              <Text size="sm" fw={500}>
                Version {version.version}
                {version.version === current && ' (current)'}
              </Text>
              <Text size="xs" c="dimmed">
                <RelativeTime at={version.created_at} />
                {note?.(version)}
              </Text>
            </div>
            <Group gap="xs" wrap="nowrap">
              {shown !== version.version && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Show version ${version.version}`}
                  onClick={() => setShown(version.version)}
                >
                  Show
                </Button>
              )}
              {onRestore && version.version !== current && (
                <Button variant="default" size="xs" aria-label={`Restore version ${version.version}`} onClick={() => onRestore(version)}>
                  Restore
                </Button>
              )}
            </Group>
          </Group>
          {shown === version.version && show(version)}
        </Stack>
      ))}
      {versions.hasMore && (
        <Button variant="default" loading={versions.isLoadingMore} onClick={() => void versions.loadMore()}>
          Show more
        </Button>
      )}
    </Stack>
  );
}
