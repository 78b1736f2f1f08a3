import { Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { usePermission } from '../session/permission.ts';
import { moment } from '../time/relative.ts';
import { ImportOutcome } from './import-outcome.tsx';
import { type Import, isInProgress, useCancelImport, useImport } from './imports.ts';

export function ImportPage() {
  const { id } = useParams({ from: '/signed-in/contacts/imports/$id' });
  const { data: job } = useImport(id);
  const { mayWrite } = usePermission();
  return (
    <Page
      title="Import"
      describes={job && `${moment(job.created_at)}${job.dry_run ? ', test run: nothing is saved' : ''}`}
      back={<BackLink to="/contacts/imports">Imports</BackLink>}
      action={job && mayWrite && isInProgress(job.status) && <Cancel job={job} />}
    >
      <ImportOutcome id={id} />
    </Page>
  );
}

function Cancel({ job: { id, dry_run, start_workflows } }: { job: Import }) {
  const cancellation = useCancelImport(id);
  return (
    <ConfirmButton
      label="Cancel import"
      title="Cancel this import?"
      confirm="Cancel import"
      keep="Continue importing"
      failed="Couldn't cancel the import"
      mutation={cancellation}
      onConfirm={(options) => cancellation.mutate(undefined, options)}
    >
      <Text size="sm">
        {dry_run ? 'A test run saves nothing, so no row is imported.' : 'Rows that were already imported are kept.'}
        {!dry_run && start_workflows && ' They start no further workflow runs; runs that have already started continue.'}
      </Text>
    </ConfirmButton>
  );
}
