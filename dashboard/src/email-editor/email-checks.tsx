import { List, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import type { Check } from './checks.ts';

/** What to check before the email is sent. */
export function EmailChecks({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0) {
    return (
      <List center ps={0} icon={<Sign level="ok" />}>
        <List.Item>
          <Text size="sm">Ready: nothing is missing.</Text>
        </List.Item>
      </List>
    );
  }
  return (
    <List spacing="sm" ps={0} aria-label="Checks">
      {checks.map(({ level, title, detail }) => (
        <List.Item key={`${title} ${detail}`} icon={<Sign level={level} />}>
          <Text size="sm" fw={500}>
            {title}
          </Text>
          <Text size="xs" c="dimmed">
            {detail}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}

const signs = {
  ok: { color: 'teal', icon: IconCheck, label: 'Passed' },
  warning: { color: 'yellow', icon: IconAlertTriangle, label: 'Warning' },
  error: { color: 'red', icon: IconX, label: 'Error' },
};

function Sign({ level }: { level: keyof typeof signs }) {
  const { color, icon: Icon, label } = signs[level];
  return (
    <ThemeIcon variant="light" color={color} size={22} radius="xl">
      <Icon size={14} aria-label={label} role="img" />
    </ThemeIcon>
  );
}
