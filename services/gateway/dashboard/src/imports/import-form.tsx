import { Button, FileInput, Group, NativeSelect, Stack } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { optionIn, optionsOf } from '../form/options.ts';
import { ButtonLink } from '../shell/button-link.tsx';
import { Panel } from '../shell/panel.tsx';
import { ColumnChoices } from './column-choices.tsx';
import { delimiterIn, parseCsv } from './csv.ts';
import { type ColumnChoice, type Match, mappingOf, matches } from './import-draft.ts';
import { isNdjson, type NewImport } from './imports.ts';

type Props = {
  isTrying: boolean;
  isImporting: boolean;
  error: Error | null;
  onBegin: (wanted: NewImport) => void;
  /** Another file or another mapping: what was tried says nothing of it. */
  onOther: () => void;
  /** What a try came to. */
  outcome: ReactNode;
};

/** Enough of a file for its header and some rows. */
const beginningBytes = 64 * 1024;

export function ImportForm({ isTrying, isImporting, error, onBegin, onOther, outcome }: Props) {
  const [file, setFile] = useState<File | null>(null);
  const [records, setRecords] = useState<string[][]>([]);
  const [choices, setChoices] = useState<Record<string, ColumnChoice>>({});
  const [matchOn, setMatchOn] = useState<Match>('any');
  const [isMissing, setMissing] = useState(false);
  const isPending = isTrying || isImporting;

  const choose = (chosen: File | null) => {
    setFile(chosen);
    setMissing(false);
    setRecords([]);
    setChoices({});
    onOther();
    if (chosen && !isNdjson(chosen)) void recordsIn(chosen).then(setRecords);
  };
  const begin = (isDryRun: boolean) => {
    setMissing(!file);
    if (file && !isPending) onBegin({ file, matchOn, isDryRun, mapping: mappingOf(choices) });
  };
  const tryIt = (event: FormEvent) => {
    event.preventDefault();
    begin(true);
  };
  const [header = [], ...rows] = records;

  return (
    <form onSubmit={tryIt} noValidate>
      <Stack gap="lg" maw={900}>
        <Panel title="File">
          <FormGrid>
            <FileInput
              label="File"
              placeholder="Choose a CSV or NDJSON file"
              accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
              leftSection={<IconFileText size={16} aria-hidden />}
              value={file}
              onChange={choose}
              error={isMissing && 'Choose a file.'}
            />
            <NativeSelect
              label="Rows find their contact by"
              data={optionsOf(matches)}
              value={matchOn}
              onChange={(event) => {
                setMatchOn(optionIn(matches, event.currentTarget.value) ?? matchOn);
                onOther();
              }}
            />
          </FormGrid>
        </Panel>
        {header.length > 0 && (
          <Panel title="Columns">
            <ColumnChoices
              columns={header}
              examples={rows[0] ?? []}
              choices={choices}
              onChange={(chosen) => {
                setChoices(chosen);
                onOther();
              }}
            />
          </Panel>
        )}
        {error && <ErrorAlert error={error} title="The file was not taken" />}
        {outcome}
        <Group justify="flex-end" gap="sm">
          <ButtonLink to="/contacts/imports" variant="default">
            Cancel
          </ButtonLink>
          <Button type="submit" variant="default" loading={isTrying} disabled={isImporting}>
            Try it
          </Button>
          <Button loading={isImporting} disabled={isTrying} onClick={() => begin(false)}>
            Import
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

async function recordsIn(file: File): Promise<string[][]> {
  const text = (await file.slice(0, beginningBytes).text()).replace(/^\uFEFF/, '');
  const [header = [], ...rows] = parseCsv(text, delimiterIn(text), file.size <= beginningBytes);
  return [header.map((column) => column.trim()), ...rows];
}
