import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useParams } from '@tanstack/react-router';
import { BackLink, Page } from '../page/page.tsx';
import { usePermission } from '../session/permission.ts';
import { moment } from '../time/relative.ts';
import { ImportOutcome } from './import-outcome.tsx';
import { isInProgress, useCancelImport, useImport } from './imports.ts';

export function ImportPage() {
  const { id } = useParams({ from: '/signed-in/contacts/imports/$id' });
  const { data: job } = useImport(id);
  const { mayWrite } = usePermission();
  return (
    <Page
      title="Import"
      describes={job && `${moment(job.created_at)}${job.dry_run ? ', test run: nothing is saved' : ''}`}
      back={<BackLink to="/contacts/imports">Imports</BackLink>}
      action={job && mayWrite && isInProgress(job.status) && <Cancel id={id} />}
    >
      <ImportOutcome id={id} />
    </Page>
  );
}

function Cancel({ id }: { id: string }) {
  const { mutate, isPending } = useCancelImport(id);
  const cancel = () =>
    mutate(undefined, {
      onError: (error) => notifications.show({ color: 'red', title: "Couldn't cancel the import", message: error.message }),
    });
  return (
    <Group gap="sm">
      <Button variant="default" loading={isPending} onClick={cancel}>
        Cancel import
      </Button>
    </Group>
  );
}
