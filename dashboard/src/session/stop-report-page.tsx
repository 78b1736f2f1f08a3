import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Logo } from '../theme/logo.tsx';
import { useStopReportByLink } from './session-query.ts';
import classes from './sign-in-page.module.css';
import { takeSignInToken } from './sign-in-token.ts';

/** Stops a report that is emailed to its user, with the link of that email. A button, because mail scanners open links. */
export function StopReportPage() {
  const [token] = useState(takeSignInToken);
  const stop = useStopReportByLink();
  return (
    <main className={classes.page}>
      <title>Stop this report · Marketing Platform</title>
      <Stack gap="lg" className={classes.panel}>
        <Logo size={40} />
        <Title order={1} size="h2">
          Stop this report
        </Title>
        {stop.isSuccess && (
          <Alert color="green" role="status" icon={<IconCheck aria-hidden />}>
            You no longer get this report. Other users who get it still do.
          </Alert>
        )}
        {!stop.isSuccess && token !== undefined && (
          <>
            <Text>You will no longer get this report by email.</Text>
            {stop.error && <ErrorAlert error={stop.error} title="Couldn't stop the report" />}
            <Button loading={stop.isPending} onClick={() => stop.mutate(token)}>
              Stop
            </Button>
          </>
        )}
        {!stop.isSuccess && token === undefined && <Text>This link is not complete. Open it from the email again.</Text>}
      </Stack>
    </main>
  );
}
