import { Button, Container, Stack } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';

/** Shown when a page throws, or when its script was replaced by a newer release. The rest of the dashboard keeps working. */
export function PageError({ error }: ErrorComponentProps) {
  return (
    <Container size="xs" py="xl">
      <Stack>
        <ErrorAlert error={error instanceof Error ? error : new Error(String(error))} title="Couldn't show this page" />
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </Stack>
    </Container>
  );
}
