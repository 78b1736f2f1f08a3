import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { Counts } from '../bulk-jobs/started-by.ts';
import { StartedWorkflows } from '../bulk-jobs/started-workflows.tsx';
import { type ConsentChoice, ConsentField, consentMissing } from '../consent/consent-field.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { optionIn, optionsOf } from '../form/options.ts';
import { UnsavedChanges } from '../form/unsaved-changes.tsx';
import { SegmentPicker } from '../names/pickers.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { guessedChoices } from './column-guess.ts';
import { type ColumnChoices, type Match, mappingOf, matches, undecidedIn } from './column-mapping.ts';
import { ColumnTable } from './column-table.tsx';
import { type Delimiter, delimiters, readBeginning } from './csv.ts';
import { FileField } from './file-field.tsx';
import { type Import, isNdjson, type NewImport } from './imports.ts';

type Props = {
  isTesting: boolean;
  isImporting: boolean;
  error: Error | null;
  onBegin: (wanted: NewImport) => void;
  /** Called when the file or the mapping changes, because earlier test results no longer apply. */
  onOther: () => void;
  /** The results of a test run. */
  outcome: ReactNode;
  /** How many rows the test run found, once it is completed. */
  tested: Import['rows'] | undefined;
};

/** How much of the file is read for the header and for guesses from the first rows. */
const sampleBytes = 64 * 1024;
const sampleRecords = 200;

type Sample = { text: string; isComplete: boolean; header: string[]; rows: string[][]; delimiter: Delimiter };

export function ImportForm({ isTesting, isImporting, error, onBegin, onOther, outcome, tested }: Props) {
  const [file, setFile] = useState<File | null>(null);
  const latest = useRef<File | null>(null);
  const [isRejected, setRejected] = useState(false);
  const [sample, setSample] = useState<Sample>();
  const [choices, setChoices] = useState<ColumnChoices>({});
  const [matchOn, setMatchOn] = useState<Match>('email');
  const [consent, setConsent] = useState<ConsentChoice>('');
  const [segmentId, setSegmentId] = useState('');
  const [isStarting, setStarting] = useState(true);
  const [isSubmitted, setSubmitted] = useState(false);
  const isPending = isTesting || isImporting;

  const show = (shown: Sample | undefined) => {
    setSample(shown);
    setChoices(shown ? guessedChoices(shown.header, shown.rows) : {});
    setSubmitted(false);
    onOther();
  };
  const choose = (chosen: File | null) => {
    setFile(chosen);
    latest.current = chosen;
    setRejected(false);
    show(undefined);
    if (chosen && !isNdjson(chosen)) void sampleOf(chosen).then((read) => latest.current === chosen && show(read));
  };
  const rejected = `Choose one CSV or NDJSON file of up to 1 GiB.${file ? ` ${file.name} is kept.` : ''}`;
  const fileProblem = isRejected ? rejected : isSubmitted && !file ? 'Choose a file.' : undefined;
  const isUndecided = undecidedIn(sample?.header ?? [], choices).length > 0;
  const begin = (isDryRun: boolean) => {
    setSubmitted(true);
    if (!file || isPending || isUndecided || consent === '') return;
    onBegin({ file, matchOn, isDryRun, mapping: mappingOf(choices), delimiter: sample?.delimiter, consent, segmentId, isStarting });
  };
  const test = (event: FormEvent) => {
    event.preventDefault();
    begin(true);
  };

  return (
    <form onSubmit={test} noValidate>
      <UnsavedChanges when={file !== null} />
      <Stack gap="lg" maw={900}>
        <Panel title="File">
          <Stack gap="md">
            <FileField file={file} onChange={choose} onReject={() => setRejected(true)} error={fileProblem} />
            <FormGrid>
              <NativeSelect
                label="Match existing contacts by"
                data={optionsOf(matches)}
                value={matchOn}
                onChange={(event) => {
                  setMatchOn(optionIn(matches, event.currentTarget.value) ?? matchOn);
                  onOther();
                }}
              />
              <ConsentField
                label="Email consent of new contacts"
                value={consent}
                onChange={(chosen) => {
                  setConsent(chosen);
                  onOther();
                }}
                error={isSubmitted && consent === '' ? consentMissing : undefined}
              />
              <SegmentPicker
                isStatic
                label="Add to a static segment"
                placeholder="None"
                value={segmentId}
                onChange={(chosen) => {
                  setSegmentId(chosen);
                  onOther();
                }}
              />
              {sample && (
                <NativeSelect
                  label="Column separator"
                  data={optionsOf(delimiters)}
                  value={sample.delimiter}
                  onChange={(event) => {
                    const delimiter = optionIn(delimiters, event.currentTarget.value);
                    if (delimiter) show(readSample(sample.text, sample.isComplete, delimiter));
                  }}
                />
              )}
            </FormGrid>
          </Stack>
        </Panel>
        {sample && sample.header.length > 0 && (
          <Panel title="Columns">
            <ColumnTable
              columns={sample.header}
              rows={sample.rows}
              choices={choices}
              isSubmitted={isSubmitted}
              onChange={(chosen) => {
                setChoices(chosen);
                onOther();
              }}
            />
          </Panel>
        )}
        <StartedWorkflows
          title="Workflows"
          counts={countsOf(tested, segmentId !== '')}
          who="Contacts that are created, change, or enter or leave a segment"
          unknown="A test run shows how many runs and emails that are."
          isStarting={isStarting}
          onChange={setStarting}
        />
        {error && <ErrorAlert error={error} title="Couldn't start the import" />}
        {outcome}
        <Group justify="flex-end" gap="sm">
          <ButtonLink to="/contacts/imports" variant="default">
            Cancel
          </ButtonLink>
          <Button type="submit" variant="default" loading={isTesting} disabled={isImporting}>
            Test run
          </Button>
          <Button loading={isImporting} disabled={isTesting} onClick={() => begin(false)}>
            Import
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** For how many contacts an import can fire each trigger. Every row enters the segment to which the contacts are added. */
function countsOf(rows: Import['rows'] | undefined, isAdding: boolean): Counts {
  return {
    contact_created: rows?.created,
    contact_updated: rows?.updated,
    segment_entered: rows && rows.created + rows.updated + (isAdding ? rows.unchanged : 0),
    segment_left: rows?.updated,
  };
}

async function sampleOf(file: File): Promise<Sample> {
  const text = (await file.slice(0, sampleBytes).text()).replace(/^\uFEFF/, '');
  return readSample(text, file.size <= sampleBytes);
}

function readSample(text: string, isComplete: boolean, wanted?: Delimiter): Sample {
  const { records, delimiter } = readBeginning(text, isComplete, sampleRecords, wanted);
  const [header = [], ...rows] = records;
  return { text, isComplete, header: header.map((column) => column.trim()), rows, delimiter };
}
