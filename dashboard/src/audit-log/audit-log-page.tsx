import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChoiceChip } from '../lists/chips.tsx';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import rowClasses from '../lists/row-link.module.css';
import { useTeam } from '../team/team.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { type AuditEntry, actionLabel, actions, auditSearch, useAuditLog, useVerification } from './audit-log.ts';
import classes from './audit-log-page.module.css';
import { VerificationResult, VerifyButton } from './verify.tsx';

/** Settings → Audit log. */
export function AuditLogPage() {
  const search = useSearch({ from: '/signed-in/settings/audit-log' });
  const navigate = useNavigate();
  const log = useAuditLog(search);
  const verifying = useVerification();
  const { rows: people } = useTeam();
  const nameOf = (id: string | null) =>
    id === null ? 'Server command' : (people.find((person) => person.id === id)?.name ?? (id.startsWith('key_') ? 'An API key' : id));

  const columns: readonly Column<AuditEntry>[] = [
    {
      name: 'Activity',
      width: 'minmax(0, 1fr)',
      cell: ({ actor_id, action, target_id, details }) => {
        const detailTexts = Object.entries(details).map(
          ([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
        );
        return (
          <div className={classes.what}>
            <strong className={classes.who}>{nameOf(actor_id)}</strong> <span>{actionLabel(action)}</span>
            <span className={rowClasses.under} title={[target_id, ...detailTexts].join('\n')}>
              {detailTexts.join(', ') || target_id}
            </span>
          </div>
        );
      },
    },
    { name: 'When', width: '138px', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  ];

  return (
    <ListPage
      title="Audit log"
      describes="Every change to the settings, with the user who made it."
      of="entries"
      list={log}
      columns={columns}
      empty={<Text c="dimmed">No entries match this filter.</Text>}
      action={
        <Group gap="xs">
          <VerifyButton {...verifying} />
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            href={`/v2/settings/audit-log/export?${new URLSearchParams(search)}`}
            download
          >
            Export
          </Button>
        </Group>
      }
      above={<VerificationResult {...verifying} />}
      filters={
        <ChoiceChip
          label="Action"
          choices={actions.map((value) => ({ value, label: actionLabel(value) }))}
          value={search.action}
          onChange={(action) => void navigate({ to: '/settings/audit-log', search: auditSearch({ action }) })}
        />
      }
    />
  );
}
