import { getDefaultZIndex, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { ProofForm } from './proof-form.tsx';
import { confirmIdentity, fetchFactors, type Proof } from './second-factor.ts';
import type { Session } from './session.ts';
import { factorsKey } from './session-query.ts';
import { stepUp } from './step-up.ts';

/** Asks the user to confirm who they are before what cannot be undone. The request that was rejected is then sent again. */
export function StepUpDialog({ session }: { session: Session }) {
  const isOpen = useSyncExternalStore(stepUp.subscribe, stepUp.isRequested);
  return (
    <Modal
      opened={isOpen}
      onClose={() => stepUp.settle(false)}
      title="Confirm that it's you"
      // Above the dialog that sent the request.
      zIndex={getDefaultZIndex('modal') + 10}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Confirm session={session} />
    </Modal>
  );
}

function Confirm({ session }: { session: Session }) {
  const { data: factors, error, refetch } = useQuery({ queryKey: factorsKey, queryFn: fetchFactors });
  const proving = useMutation({
    mutationFn: (proof: Proof) => confirmIdentity(session, proof),
    gcTime: 0,
    onSuccess: () => stepUp.settle(true),
  });
  if (error) return <ErrorAlert error={error} title="Couldn't load your second factors" onRetry={() => void refetch()} />;
  if (!factors) return <Outline of="your second factors" shape="form" count={1} />;
  const kinds = [...new Set(factors.items.map(({ kind }) => kind))];
  const methods = kinds.length > 0 ? kinds : session.hasPassword ? ['current_password'] : [];
  const recovery = kinds.length > 0 && factors.recoveryCodesLeft > 0 ? ['recovery_code'] : [];
  return (
    <Stack gap="md">
      <Text size="sm">
        {methods.length > 0
          ? 'This needs a confirmation, because you have not confirmed in the last 15 minutes.'
          : 'You signed in more than 15 minutes ago. Sign out and sign in again, then repeat this.'}
      </Text>
      {methods.length > 0 && (
        <ProofForm
          methods={[...methods, ...recovery]}
          proving={proving}
          submit="Confirm"
          failed="Couldn't confirm"
          onProve={(proof) => proving.mutate(proof)}
        />
      )}
    </Stack>
  );
}
