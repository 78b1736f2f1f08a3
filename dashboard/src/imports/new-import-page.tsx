import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { BackLink, Page } from '../page/page.tsx';
import { ImportForm } from './import-form.tsx';
import { ImportOutcome } from './import-outcome.tsx';
import { type NewImport, useCreateImport, useImport } from './imports.ts';

/** Imports a file: column mapping, an optional test run, and the import. */
export function NewImportPage() {
  const navigate = useNavigate();
  const [testId, setTestId] = useState<string>();
  const { data: test } = useImport(testId);
  const { mutate, isPending, variables, error } = useCreateImport();
  const begin = (wanted: NewImport) =>
    mutate(wanted, {
      onSuccess: ({ id }) => {
        if (wanted.isDryRun) setTestId(id);
        else void navigate({ to: '/contacts/imports/$id', params: { id }, ignoreBlocker: true });
      },
    });

  return (
    <Page
      title="New import"
      describes="A CSV file with a header, or one JSON object per line. Start with a test run: it checks every row and saves nothing."
      back={<BackLink to="/contacts/imports">Imports</BackLink>}
    >
      <ImportForm
        isTesting={isPending && variables?.isDryRun === true}
        isImporting={isPending && variables?.isDryRun === false}
        error={error}
        onBegin={begin}
        onOther={() => setTestId(undefined)}
        tested={test?.status === 'completed' ? test.rows : undefined}
        outcome={testId !== undefined && <ImportOutcome id={testId} />}
      />
    </Page>
  );
}
