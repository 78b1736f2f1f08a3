import { Button, NativeSelect, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { optionIn, optionsOf } from '../form/options.ts';
import { useAllSegments } from '../names/all-names.ts';
import { Panel } from '../page/panel.tsx';
import { type Export, formats, useCreateExport } from './exports.ts';
import classes from './exports-page.module.css';

/** Exports all contacts, or the members of a segment. */
export function CreateExport() {
  const [segmentId, setSegmentId] = useState('');
  const [format, setFormat] = useState<Export['format']>('csv');
  const segments = useAllSegments();
  const { mutate, isPending, error } = useCreateExport();
  const begin = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    mutate({ format, ...(segmentId && { filter: { segment_id: segmentId } }) });
  };

  return (
    <Panel title="New export">
      <Stack gap="md">
        <form onSubmit={begin} className={classes.form}>
          <NativeSelect
            label="Contacts"
            data={[
              { value: '', label: 'All contacts' },
              ...segments.rows.map(({ id, name }) => ({ value: id, label: `Segment: ${name}` })),
            ]}
            value={segmentId}
            onChange={(event) => setSegmentId(event.currentTarget.value)}
          />
          <NativeSelect
            label="Format"
            data={optionsOf(formats)}
            value={format}
            onChange={(event) => setFormat(optionIn(formats, event.currentTarget.value) ?? format)}
          />
          <Button type="submit" loading={isPending}>
            Export
          </Button>
        </form>
        {error && <ErrorAlert error={error} title="Couldn't start the export" />}
      </Stack>
    </Panel>
  );
}
