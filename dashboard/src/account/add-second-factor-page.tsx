import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { hasPasskeys } from '../session/passkey.ts';
import type { Added } from '../session/second-factor.ts';
import { useRefetchAll, useSignOut } from '../session/session-query.ts';
import classes from '../session/sign-in-page.module.css';
import { Logo } from '../theme/logo.tsx';
import { AddPasskey, AddTotp } from './add-factor.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** All that a user sees who must add a second factor first. */
export function AddSecondFactorPage({ onAdded }: { onAdded: () => void }) {
  const [adding, setAdding] = useState<'totp' | 'passkey'>();
  const [codes, setCodes] = useState<readonly string[]>();
  const refetchAll = useRefetchAll();
  const enrolled = () => void refetchAll().then(onAdded);
  const { mutate: signOut } = useSignOut();
  const added = ({ recoveryCodes }: Added) => (recoveryCodes ? setCodes(recoveryCodes) : enrolled());
  const cancel = () => setAdding(undefined);
  return (
    <main className={classes.page}>
      <title>Add a second factor · Marketing Platform</title>
      <Stack gap="lg" className={classes.panel}>
        <Logo size={40} />
        <Title order={1} size="h2">
          {codes ? 'Store your recovery codes' : 'Add a second factor'}
        </Title>
        {codes && <RecoveryCodes codes={codes} onStored={() => enrolled()} />}
        {!codes && adding === 'totp' && <AddTotp onAdded={added} onCancel={cancel} />}
        {!codes && adding === 'passkey' && <AddPasskey onAdded={added} onCancel={cancel} />}
        {!codes && !adding && (
          <>
            <Text>Your account requires a second factor. Add one to continue.</Text>
            <Button onClick={() => setAdding('totp')}>Add authenticator app</Button>
            {hasPasskeys() && (
              <Button variant="default" onClick={() => setAdding('passkey')}>
                Add passkey
              </Button>
            )}
            <Anchor component="button" type="button" size="sm" ta="start" onClick={() => signOut()}>
              Sign out
            </Anchor>
          </>
        )}
      </Stack>
    </main>
  );
}
