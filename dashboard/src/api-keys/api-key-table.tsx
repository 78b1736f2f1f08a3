import { Table, Text, VisuallyHidden } from '@mantine/core';
import { RelativeTime } from '../time/relative-time.tsx';
import classes from './api-key-list.module.css';
import { type ApiKey, isOver } from './api-keys.ts';
import { KeyActions } from './key-actions.tsx';
import { KeyStatus } from './key-status.tsx';
import { permissionName } from './permissions.ts';

type Props = { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void; onRotate: (key: ApiKey) => void; onChange: (key: ApiKey) => void };

export function ApiKeyTable({ keys, onRevoke, onRotate, onChange }: Props) {
  return (
    <div className={classes.frame}>
      <Table verticalSpacing="sm" horizontalSpacing="md" aria-label="API keys">
        <Table.Thead className={classes.head}>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Key</Table.Th>
            <Table.Th>Permission</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.id} data-over={isOver(key) || undefined} className={classes.row}>
              <Table.Td className={classes.name}>{key.name}</Table.Td>
              <Table.Td className={classes.text}>{keyText(key)}</Table.Td>
              <Table.Td>
                {permissionName(key.permission)}
                {key.scopes && (
                  <Text size="xs" c="dimmed">
                    {key.scopes.join(', ')}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <RelativeTime at={key.created_at} />
              </Table.Td>
              <Table.Td>{key.last_used_at ? <RelativeTime at={key.last_used_at} /> : 'Never'}</Table.Td>
              <Table.Td>
                <KeyStatus apiKey={key} />
              </Table.Td>
              <Table.Td className={classes.action}>
                <KeyActions apiKey={key} onRevoke={onRevoke} onRotate={onRotate} onChange={onChange} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** The stored part of a key: enough to recognize it, not enough to use it. */
export const keyText = ({ prefix, last4 }: ApiKey) => `${prefix}…${last4}`;
