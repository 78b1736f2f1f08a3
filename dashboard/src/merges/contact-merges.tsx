import { Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import classes from './contact-merges.module.css';
import { type Merge, useMerges, useUndoMerge } from './merges.ts';

/** The contacts that were merged into this one. Merges are undone newest first, so only the newest has the button. */
export function ContactMerges({ contact }: { contact: Contact }) {
  const { data, error, refetch } = useMerges(contact.id);
  const { mayWrite } = usePermission();
  const merges = data?.items ?? [];
  const newest = merges.find(({ status }) => status === 'merged');
  if (!error && merges.length === 0) return null;

  return (
    <Panel title="Merged contacts">
      {error && <ErrorAlert error={error} title="Couldn't load the merged contacts" onRetry={() => void refetch()} />}
      <ul className={classes.merges}>
        {merges.map((merge) => (
          <li key={merge.id} className={classes.merge}>
            <span className={classes.words}>
              {nameOf(merge.source)}{' '}
              <Text span inherit c="dimmed">
                {merge.undone_at ? (
                  <>
                    undone <RelativeTime at={merge.undone_at} />
                  </>
                ) : (
                  <RelativeTime at={merge.created_at} />
                )}
              </Text>
            </span>
            {mayWrite && merge === newest && <UndoMerge merge={merge} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function UndoMerge({ merge }: { merge: Merge }) {
  const undoing = useUndoMerge(merge.contact_id);
  return (
    <ConfirmButton
      label="Undo"
      description={`Undo the merge of ${nameOf(merge.source)}`}
      title="Undo this merge?"
      confirm="Undo merge"
      isHarmless
      failed="Couldn't undo the merge"
      mutation={undoing}
      onConfirm={(options) => undoing.mutate(merge.id, options)}
      done={`${nameOf(merge.source)} is a separate contact again.`}
    >
      <Text size="sm">
        <strong>{nameOf(merge.source)}</strong> becomes a separate contact again, with its previous ID and data. Changes made to this
        contact since the merge stay.
      </Text>
    </ConfirmButton>
  );
}
