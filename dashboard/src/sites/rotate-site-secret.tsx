import { Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { IdentitySecret } from './identity-secret.tsx';
import { useRotateSiteSecret } from './sites.ts';

/** Creates a new identity secret, which replaces the old one. */
export function RotateSiteSecret({ id, opened, onClose }: { id: string; opened: boolean; onClose: () => void }) {
  const rotation = useRotateSiteSecret(id);
  const form = useForm({ initialValues: {} });
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      title="Rotate the identity secret?"
      shownTitle="Store the identity secret"
      creation={rotation}
      shown={(site, onStored) => <IdentitySecret secret={site.identity_secret} onStored={onStored} />}
    >
      {(close) => (
        <Form form={form} saving={rotation} onSubmit={() => rotation.mutate()}>
          <Stack gap="md">
            <Text size="sm">
              The website gets a new secret, and the old one stops working within ten seconds: until your server has the new one, visitors
              who sign in are not identified. Visits are still counted.
            </Text>
            <FormActions submit="Rotate secret" failed="Couldn't rotate the secret" cancel={close} />
          </Stack>
        </Form>
      )}
    </SecretDialog>
  );
}
