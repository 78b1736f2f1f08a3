import { ActionIcon, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { networkNames, type SocialLink } from './design.ts';

const networks = Object.entries(networkNames).map(([value, label]) => ({ value, label }));

export function SocialLinksFields({ links, onChange }: { links: readonly SocialLink[]; onChange: (links: SocialLink[]) => void }) {
  const replace = (index: number, change: Partial<SocialLink>) =>
    onChange(links.map((link, at) => (at === index ? { ...link, ...change } : link)));
  return (
    <Stack gap="xs">
      {links.map((link, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: links have no identity but their place.
        <Group key={index} gap={4} wrap="nowrap" align="start">
          <NativeSelect
            aria-label={`Network ${index + 1}`}
            w={128}
            data={networks}
            value={link.network}
            onChange={(event) => {
              const network = networks.find(({ value }) => value === event.currentTarget.value)?.value;
              if (network !== undefined && isNetwork(network)) replace(index, { network });
            }}
          />
          <TextInput
            aria-label={`URL ${index + 1}`}
            placeholder="https://"
            flex={1}
            value={link.url}
            onChange={(event) => replace(index, { url: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove link ${index + 1}`}
            onClick={() => onChange(links.filter((_, at) => at !== index))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {links.length < 10 && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...links, { network: 'website', url: '' }])}
        >
          Add a link
        </Button>
      )}
    </Stack>
  );
}

const isNetwork = (value: string): value is SocialLink['network'] => Object.hasOwn(networkNames, value);
