import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { MailFrame } from '../email-frame/email-frame.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { type TemplateVersion, useTemplateVersions } from './templates.ts';

type Props = {
  id: string;
  /** The current version. */
  version: number;
  /** Puts a version into the form; nothing is saved yet. */
  onRestore: (version: TemplateVersion) => void;
};

/** The versions of a template, each with its email. */
export function TemplateVersions({ id, version, onRestore }: Props) {
  const [isOpen, setOpen] = useState(false);
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
        {isOpen && (
          <List
            id={id}
            version={version}
            onRestore={(chosen) => {
              onRestore(chosen);
              setOpen(false);
            }}
          />
        )}
      </Drawer>
    </>
  );
}

function List({ id, version: current, onRestore }: Props) {
  const versions = useTemplateVersions(id);
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
                {version.subject && ` · ${version.subject}`}
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
              {version.version !== current && (
                <Button variant="default" size="xs" aria-label={`Restore version ${version.version}`} onClick={() => onRestore(version)}>
                  Restore
                </Button>
              )}
            </Group>
          </Group>
          {shown === version.version && <MailFrame html={version.html || (version.text ?? '')} title={`Version ${version.version}`} />}
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
