import { Stack, Text, Title } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { CommandLine } from '../clipboard/command-line.tsx';
import classes from './empty-state.module.css';

type Props = {
  title: string;
  icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true; className?: string }>;
  children: ReactNode;
  /** Terminal commands by what they do. */
  lines?: Readonly<Record<string, string>>;
};

/** An empty state: what belongs here, and how to add it. */
export function EmptyState({ title, icon: Icon, children, lines = {} }: Props) {
  return (
    <section className={classes.empty} aria-label={title}>
      <Icon size={32} stroke={1.5} aria-hidden className={classes.icon ?? ''} />
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" size="sm" maw={460} component="div">
        {children}
      </Text>
      <Stack gap="xs" className={classes.lines}>
        {Object.entries(lines).map(([label, line]) => (
          <CommandLine key={label} label={label}>
            {line}
          </CommandLine>
        ))}
      </Stack>
    </section>
  );
}

/** An API request as a curl command. */
export const curl = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  [
    `curl ${window.location.origin}${path}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $KEY"',
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body)}'`]),
  ].join(' ');
