import { Button, Container, Stack } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';

/** A fault in a page itself, or a page that a newer release has replaced: the rest of the dashboard stays. */
export function PageFault({ error }: ErrorComponentProps) {
  return (
    <Container size="xs" py="xl">
      <Stack>
        <ErrorAlert error={error instanceof Error ? error : new Error(String(error))} title="This page could not be shown" />
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </Stack>
    </Container>
  );
}
