import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { CommandLine } from '../clipboard/command-line.tsx';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { Panel } from '../page/panel.tsx';
import { Status } from '../page/status.tsx';
import { type IdentityProvider, useDeleteIdentityProvider, useIdentityProviders } from './identity-providers.ts';
import { CreateProvider, EditProvider } from './provider-form.tsx';

/** The identity providers of the account, each with the URL to register there. */
export function ProvidersPanel() {
  const query = useIdentityProviders();
  const [isCreating, setCreating] = useState(false);
  const [editing, setEditing] = useState<IdentityProvider>();
  const [deleting, setDeleting] = useState<IdentityProvider>();
  return (
    <Panel
      title="Identity providers"
      action={
        <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          New provider
        </Button>
      }
    >
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          Your team signs in with your company's accounts by OpenID Connect: with Google, Microsoft Entra ID, Okta, Keycloak and others.
          Register this platform there as a web application, and enter its client here.
        </Text>
        <Loaded of="the identity providers" query={query}>
          {(providers) =>
            providers.map((provider) => (
              <section key={provider.id} aria-label={provider.name}>
                <Group justify="space-between" gap="sm" mb="xs">
                  <Group gap="sm" fz="sm">
                    <Title order={3} size="h6">
                      {provider.name}
                    </Title>
                    <Status tone={provider.enabled ? 'good' : 'over'}>{provider.enabled ? 'Enabled' : 'Disabled'}</Status>
                    <Text size="xs" c="dimmed">
                      {provider.issuer}
                    </Text>
                  </Group>
                  <Group gap="xs">
                    <Button size="xs" variant="default" aria-label={`Edit ${provider.name}`} onClick={() => setEditing(provider)}>
                      Edit
                    </Button>
                    <Button
                      size="xs"
                      variant="subtle"
                      color="red"
                      aria-label={`Delete ${provider.name}`}
                      onClick={() => setDeleting(provider)}
                    >
                      Delete
                    </Button>
                  </Group>
                </Group>
                <Text size="sm" mb={4}>
                  Redirect URL to register with the provider
                </Text>
                <CommandLine label={`Redirect URL of ${provider.name}`}>{provider.redirect_uri}</CommandLine>
                <Text size="sm" mt="xs" mb={4}>
                  Sign-in link for your intranet
                </Text>
                <CommandLine label={`Sign-in link of ${provider.name}`}>{provider.sign_in_url}</CommandLine>
              </section>
            ))
          }
        </Loaded>
      </Stack>
      <CreateProvider opened={isCreating} onClose={() => setCreating(false)} />
      <EditProvider provider={editing} onClose={() => setEditing(undefined)} />
      <ConfirmItemDialog
        item={deleting}
        onClose={() => setDeleting(undefined)}
        mutation={useDeleteIdentityProvider()}
        title="Delete this identity provider?"
        confirm="Delete provider"
        failed="Couldn't delete the provider"
        done="was deleted."
      >
        {({ name }) =>
          `Users can no longer sign in with ${name}. A new provider has another redirect URL, and users are linked to it again.`
        }
      </ConfirmItemDialog>
    </Panel>
  );
}
