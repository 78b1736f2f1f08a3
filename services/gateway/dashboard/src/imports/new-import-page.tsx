import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { BackLink, Page } from '../shell/page.tsx';
import { ImportForm } from './import-form.tsx';
import { ImportOutcome } from './import-outcome.tsx';
import { type NewImport, useCreateImport } from './imports.ts';

/** A file, what its columns are, and a try before it is written. */
export function NewImportPage() {
  const navigate = useNavigate();
  const [triedId, setTriedId] = useState<string>();
  const { mutate, isPending, variables, error } = useCreateImport();
  const begin = (wanted: NewImport) =>
    mutate(wanted, {
      onSuccess: ({ id }) => {
        if (wanted.isDryRun) setTriedId(id);
        else void navigate({ to: '/contacts/imports/$id', params: { id } });
      },
    });

  return (
    <Page
      title="New import"
      describes="A CSV file with a header, or one JSON object per line. Try it first: every row is judged and nothing is written."
      back={<BackLink to="/contacts/imports">Imports</BackLink>}
    >
      <ImportForm
        isTrying={isPending && variables?.isDryRun === true}
        isImporting={isPending && variables?.isDryRun === false}
        error={error}
        onBegin={begin}
        onOther={() => setTriedId(undefined)}
        outcome={triedId !== undefined && <ImportOutcome id={triedId} />}
      />
    </Page>
  );
}
