import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Form } from '../form/form.tsx';
import { FormError } from '../form/form-actions.tsx';
import { Panel } from '../page/panel.tsx';
import type { Session } from '../session/session.ts';
import { sessionQuery, useSetPassword } from '../session/session-query.ts';

export function PasswordPanel() {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  return (
    <Panel title={session.hasPassword ? 'Change your password' : 'Set a password'}>
      <NewPassword session={session} />
    </Panel>
  );
}

function NewPassword({ session: { email, hasPassword, needsCurrentPassword } }: { session: Session }) {
  const form = useForm({ initialValues: { email: email ?? '', current_password: '', new_password: '' } });
  const update = useSetPassword();
  const save = (values: typeof form.values) =>
    update.mutate(
      {
        new_password: values.new_password,
        ...(values.email !== '' && { email: values.email }),
        ...(needsCurrentPassword && { current_password: values.current_password }),
      },
      {
        onSuccess: ({ session, emailToProve }) => {
          form.setInitialValues({ email: session.email ?? '', current_password: '', new_password: '' });
          form.reset();
          notifications.show({
            message:
              emailToProve === null
                ? 'Your password is set. Your other sessions were signed out.'
                : `Your password is set. Confirm ${emailToProve} with the link that we have sent there; until then, sign in with your old address.`,
          });
        },
      },
    );

  return (
    <Form form={form} saving={update} onSubmit={save}>
      <Stack gap="md" maw={420}>
        {!hasPassword && (
          <Text size="sm" c="dimmed">
            With a password, you can sign in without a link.
          </Text>
        )}
        <TextInput type="email" label="Email" autoComplete="username" {...form.getInputProps('email')} />
        {needsCurrentPassword && (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the current password', tabIndex: 0 }}
            {...form.getInputProps('current_password')}
          />
        )}
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the new password', tabIndex: 0 }}
          {...form.getInputProps('new_password')}
        />
        <FormError title="Couldn't set the password" />
        <Group>
          <Button type="submit" loading={update.isPending}>
            {hasPassword ? 'Change password' : 'Set password'}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
