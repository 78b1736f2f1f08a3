import { Alert, Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Logo } from '../theme/logo.tsx';
import { useConfirmEmail } from './session-query.ts';
import classes from './sign-in-page.module.css';
import { takeSignInToken } from './sign-in-token.ts';

/** Proves a new sign-in address with the link that was emailed there. A button, because mail scanners open links. */
export function ConfirmEmailPage() {
  const [token] = useState(takeSignInToken);
  const confirm = useConfirmEmail();
  return (
    <main className={classes.page}>
      <title>Confirm your email address · Marketing Platform</title>
      <Stack gap="lg" className={classes.panel}>
        <Logo size={40} />
        <Title order={1} size="h2">
          Confirm your email address
        </Title>
        {confirm.data === undefined && token !== undefined && (
          <>
            <Text>From then on, you sign in with the address at which you received this link.</Text>
            {confirm.error && <ErrorAlert error={confirm.error} title="Couldn't confirm the address" />}
            <Button loading={confirm.isPending} onClick={() => confirm.mutate(token)}>
              Confirm
            </Button>
          </>
        )}
        {confirm.data === undefined && token === undefined && (
          <Text>This link is incomplete. Open the link in the email again, or change your address under Your account.</Text>
        )}
        {confirm.data !== undefined && (
          <>
            <Alert color="green" role="status" icon={<IconCheck aria-hidden />}>
              You now sign in with {confirm.data}.
            </Alert>
            <Anchor href="/">Go to the dashboard</Anchor>
          </>
        )}
      </Stack>
    </main>
  );
}
