import '@mantine/dropzone/styles.css';
import { Input, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useId } from 'react';

type Props = { file: File | null; onChange: (file: File | null) => void; onReject: () => void; error: string | undefined };

const types = { 'text/csv': ['.csv', '.tsv', '.txt'], 'application/x-ndjson': ['.ndjson', '.jsonl'] };
const maxSize = 1024 ** 3;

/** The file of an import, dropped or chosen. */
export function FileField({ file, onChange, onReject, error }: Props) {
  const errorId = useId();
  return (
    <Input.Wrapper error={error} errorProps={{ id: errorId }}>
      <Dropzone
        role="button"
        accept={types}
        maxSize={maxSize}
        multiple={false}
        onDrop={([dropped]) => onChange(dropped ?? null)}
        onReject={onReject}
        // The button itself is what takes the focus.
        inputProps={{ style: { display: 'none' } }}
        {...(error !== undefined && { 'aria-describedby': errorId })}
      >
        <Text size="sm" fw={500} ta="center">
          {file?.name ?? 'Drop a file here, or click to choose one'}
        </Text>
        <Text size="xs" c="dimmed" ta="center">
          {file ? 'Drop or choose another file to replace it' : 'CSV or NDJSON, up to 1 GiB'}
        </Text>
      </Dropzone>
    </Input.Wrapper>
  );
}
