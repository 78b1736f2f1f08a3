import { Button, Group, Text } from '@mantine/core';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { usePermission } from '../session/permission.ts';
import { VisitorName } from './visitor-name.tsx';
import { useDeleteVisitor, type Visitor } from './visitors.ts';

/** Downloads everything that is stored about a visitor, or deletes it. */
export function VisitorActions({ visitor }: { visitor: Visitor }) {
  const { mayWrite } = usePermission('leadpulse');
  const deletion = useDeleteVisitor(visitor.id);
  return (
    <Group gap="sm">
      <Button component="a" variant="default" href={`/v2/leadpulse/visitors/${visitor.id}/export`} download>
        Export
      </Button>
      {mayWrite && (
        <ConfirmButton
          label="Delete"
          title="Delete this visitor?"
          confirm="Delete visitor"
          failed="Couldn't delete the visitor"
          mutation={deletion}
          onConfirm={(options) => deletion.mutate(undefined, options)}
          done="The visitor was deleted."
          next={{ to: '/leadpulse/visitors' }}
        >
          <Text size="sm">
            <strong>
              <VisitorName visitor={visitor} />
            </strong>{' '}
            is deleted with its visits and events. Traffic numbers do not change.
            {visitor.contact_id && ' To remove the person everywhere, erase the contact.'}
          </Text>
        </ConfirmButton>
      )}
    </Group>
  );
}
