import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { Page } from '../page/page.tsx';
import { usePermission } from '../session/permission.ts';
import { ApiKeyList } from './api-key-list.tsx';
import { useApiKeys } from './api-keys.ts';
import { GenerateKey } from './generate-key.tsx';
import { NoApiKeys } from './no-api-keys.tsx';

/** Settings → API Keys. */
export function ApiKeysPage() {
  const { may } = usePermission();
  const [generating, generate] = useDisclosure(false);
  const { data, error, isPending, isFetchNextPageError, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useApiKeys();
  const keys = data?.pages.flatMap((page) => page.items) ?? [];

  return (
    <Page
      title="API Keys"
      describes="Apps call the API with a key. Give each app its own key, with the least permission it needs."
      action={
        may('settings:keys') && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={generate.open}>
            Generate New Key
          </Button>
        )
      }
    >
      <Stack gap="lg">
        {error && !isFetchNextPageError && <ErrorAlert error={error} title="Couldn't load the keys" onRetry={() => void refetch()} />}
        {isPending && <Outline of="the keys" shape="rows" />}
        {data && keys.length === 0 && <NoApiKeys onGenerate={generate.open} />}
        {keys.length > 0 && <ApiKeyList keys={keys} />}
        {error && isFetchNextPageError && <ErrorAlert error={error} onRetry={() => void fetchNextPage()} />}
        {hasNextPage && !isFetchNextPageError && (
          <Group justify="center">
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older keys
            </Button>
          </Group>
        )}
        {keys.length > 0 && (
          <Text size="sm" c="dimmed">
            Send the key in the <code>Authorization: Bearer …</code> header of every request. A key is shown only once, when you generate
            it.
          </Text>
        )}
      </Stack>
      <GenerateKey opened={generating} onClose={generate.close} />
    </Page>
  );
}
