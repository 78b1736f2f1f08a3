import { Alert, Button, Code } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { count } from '../numbers/format-number.ts';
import type { useVerification } from './audit-log.ts';

const problems = { changed: 'was changed after it was written', missing: 'is missing', inserted: 'was inserted' } as const;

type Verifying = ReturnType<typeof useVerification>;

export const VerifyButton = ({ mutate, isPending }: Pick<Verifying, 'mutate' | 'isPending'>) => (
  <Button variant="default" leftSection={<IconShieldCheck size={14} aria-hidden />} loading={isPending} onClick={() => mutate()}>
    Verify
  </Button>
);

/** Whether the log is as it was written. */
export function VerificationResult({ data, error }: Pick<Verifying, 'data' | 'error'>) {
  if (error) return <ErrorAlert error={error} title="Couldn't verify the audit log" />;
  if (!data) return null;
  const { is_intact, entries, head, broken } = data;
  if (!is_intact && broken)
    return (
      <Alert color="red" title="The audit log is not as it was written" role="alert">
        {broken.sequence === null ? 'An entry without a hash' : `Entry ${count(broken.sequence)}`} {problems[broken.problem]}.
      </Alert>
    );
  return (
    <Alert color="green" title={`${count(entries)} entries are as they were written`} role="status">
      {head.hash && (
        <>
          Entry {count(head.sequence)} has the hash <Code>{head.hash}</Code>. Keep it elsewhere to prove later that nothing was replaced.
        </>
      )}
    </Alert>
  );
}
