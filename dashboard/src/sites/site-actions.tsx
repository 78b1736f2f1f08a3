import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { EditSite } from './edit-site.tsx';
import { RotateSiteSecret } from './rotate-site-secret.tsx';
import { type Site, useDeleteSite, useRotateSiteKey } from './sites.ts';

export function SiteActions({ site }: { site: Site }) {
  const { id, name } = site;
  const [isEditing, setEditing] = useState(false);
  const [isRotating, setRotating] = useState(false);
  const rotateKey = useRotateSiteKey(id);
  const remove = useDeleteSite(id);
  return (
    <Group gap="sm">
      <Button onClick={() => setEditing(true)}>Edit</Button>
      <ConfirmButton
        label="Replace key"
        title="Replace this website's key?"
        confirm="Replace key"
        failed="Couldn't replace the key"
        mutation={rotateKey}
        onConfirm={(options) => rotateKey.mutate(undefined, options)}
        done="The key was replaced. Paste the new snippet into your pages."
      >
        <Text size="sm">The old key stops working within ten seconds. Visits are not counted until your pages have the new snippet.</Text>
      </ConfirmButton>
      <Button variant="default" onClick={() => setRotating(true)}>
        Rotate secret
      </Button>
      <ConfirmButton
        label="Delete"
        title="Delete this website?"
        confirm="Delete website"
        failed="Couldn't delete the website"
        mutation={remove}
        onConfirm={(options) => remove.mutate(undefined, options)}
        next={{ to: '/leadpulse/websites' }}
      >
        <Text size="sm">
          Visits of <strong>{name}</strong> are no longer counted, and its key stops working. Past traffic is kept. This can't be undone.
        </Text>
      </ConfirmButton>
      <EditSite site={site} opened={isEditing} onClose={() => setEditing(false)} />
      <RotateSiteSecret id={id} opened={isRotating} onClose={() => setRotating(false)} />
    </Group>
  );
}
