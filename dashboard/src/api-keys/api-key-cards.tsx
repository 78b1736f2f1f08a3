import { Text } from '@mantine/core';
import { RelativeTime } from '../time/relative-time.tsx';
import classes from './api-key-list.module.css';
import { keyText } from './api-key-table.tsx';
import { type ApiKey, isOver } from './api-keys.ts';
import { KeyActions } from './key-actions.tsx';
import { KeyStatus } from './key-status.tsx';
import { permissionName } from './permissions.ts';

type Props = { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void; onRotate: (key: ApiKey) => void; onChange: (key: ApiKey) => void };

export function ApiKeyCards({ keys, onRevoke, onRotate, onChange }: Props) {
  return (
    <ul className={classes.cards} aria-label="API keys">
      {keys.map((key) => (
        <li key={key.id} className={classes.card} data-over={isOver(key) || undefined}>
          <div className={classes.cardHead}>
            <span className={classes.name}>{key.name}</span>
            <KeyActions apiKey={key} onRevoke={onRevoke} onRotate={onRotate} onChange={onChange} />
          </div>
          <div className={classes.text}>{keyText(key)}</div>
          <Text size="sm" component="div">
            <KeyStatus apiKey={key} /> · {permissionName(key.permission)}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            Created <RelativeTime at={key.created_at} />,{' '}
            {key.last_used_at ? (
              <>
                used <RelativeTime at={key.last_used_at} />
              </>
            ) : (
              'never used'
            )}
          </Text>
        </li>
      ))}
    </ul>
  );
}
