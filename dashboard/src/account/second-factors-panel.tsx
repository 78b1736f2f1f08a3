import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { Panel } from '../page/panel.tsx';
import { hasPasskeys } from '../session/passkey.ts';
import type { Added, Factor } from '../session/second-factor.ts';
import { useFactors, useRemoveFactor, useRenameFactor, useReplaceRecoveryCodes } from '../session/session-query.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { AddPasskey, AddTotp } from './add-factor.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import classes from './sessions-panel.module.css';

type Dialog = 'totp' | 'passkey' | { codes: readonly string[] } | { rename: Factor };

const titleOf = (dialog: Dialog | undefined) => {
  if (dialog === 'totp') return 'Add an authenticator app';
  if (dialog === 'passkey') return 'Add a passkey';
  return dialog && 'codes' in dialog ? 'Store your recovery codes' : 'Rename';
};

/** The user's second factors and recovery codes. */
export function SecondFactorsPanel() {
  const { data: factors, error, refetch } = useFactors();
  const [dialog, setDialog] = useState<Dialog>();
  const [removing, setRemoving] = useState<Factor>();
  const remove = useRemoveFactor();
  const replace = useReplaceRecoveryCodes();
  const close = () => setDialog(undefined);
  const added = ({ recoveryCodes }: Added) => setDialog(recoveryCodes ? { codes: recoveryCodes } : undefined);
  const hasCodes = typeof dialog === 'object' && 'codes' in dialog;

  return (
    <Panel
      title="Second factor"
      action={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setDialog('totp')}>
            Add authenticator app
          </Button>
          {hasPasskeys() && (
            <Button size="xs" variant="default" onClick={() => setDialog('passkey')}>
              Add passkey
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="sm">
        {error && <ErrorAlert error={error} title="Couldn't load your second factors" onRetry={() => void refetch()} />}
        {replace.error && <ErrorAlert error={replace.error} title="Couldn't create new recovery codes" />}
        {!factors && !error && <Outline of="your second factors" shape="rows" count={1} />}
        {factors?.items.length === 0 && (
          <Text size="sm" c="dimmed">
            With a second factor, a stolen password or a forwarded sign-in link is not enough to sign in as you.
          </Text>
        )}
        <ul className={classes.sessions}>
          {factors?.items.map((factor) => (
            <li key={factor.id} className={classes.session}>
              <div>
                <Text size="sm" fw={500}>
                  {factor.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {factor.kind === 'totp' ? 'Authenticator app' : 'Passkey'}, added <RelativeTime at={factor.createdAt} />
                  {factor.lastUsedAt && (
                    <>
                      , last used <RelativeTime at={factor.lastUsedAt} />
                    </>
                  )}
                </Text>
              </div>
              <Group gap="xs" wrap="nowrap">
                <Button size="xs" variant="subtle" aria-label={`Rename ${factor.name}`} onClick={() => setDialog({ rename: factor })}>
                  Rename
                </Button>
                <Button size="xs" variant="subtle" color="red" aria-label={`Remove ${factor.name}`} onClick={() => setRemoving(factor)}>
                  Remove
                </Button>
              </Group>
            </li>
          ))}
          {factors && factors.items.length > 0 && (
            <li className={classes.session}>
              <div>
                <Text size="sm" fw={500}>
                  Recovery codes
                </Text>
                <Text size="xs" c="dimmed">
                  {factors.recoveryCodesLeft} left
                </Text>
              </div>
              <Button
                size="xs"
                variant="subtle"
                loading={replace.isPending}
                onClick={() => replace.mutate(undefined, { onSuccess: (codes) => setDialog({ codes }) })}
              >
                Create new codes
              </Button>
            </li>
          )}
        </ul>
      </Stack>
      <Modal
        opened={dialog !== undefined}
        onClose={() => !hasCodes && close()}
        title={titleOf(dialog)}
        closeOnEscape={!hasCodes}
        closeOnClickOutside={false}
        withCloseButton={!hasCodes}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {dialog === 'totp' && <AddTotp onAdded={added} onCancel={close} />}
        {dialog === 'passkey' && <AddPasskey onAdded={added} onCancel={close} />}
        {hasCodes && <RecoveryCodes codes={dialog.codes} onStored={close} />}
        {typeof dialog === 'object' && 'rename' in dialog && <Rename factor={dialog.rename} onClose={close} />}
      </Modal>
      <ConfirmItemDialog
        item={removing}
        onClose={() => setRemoving(undefined)}
        mutation={remove}
        title="Remove this second factor?"
        confirm="Remove"
        failed="Couldn't remove it"
        done="was removed."
      >
        {({ name }) => <Text size="sm">{name} no longer signs you in, and your other sessions are signed out.</Text>}
      </ConfirmItemDialog>
    </Panel>
  );
}

function Rename({ factor: { id, name: before }, onClose }: { factor: Factor; onClose: () => void }) {
  const [name, setName] = useState(before);
  const { mutate, isPending, error } = useRenameFactor();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ id, name }, { onSuccess: onClose });
      }}
    >
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          autoComplete="off"
          required
          withAsterisk={false}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {error && <ErrorAlert error={error} title="Couldn't rename it" />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
