import '@mantine/dropzone/styles.css';
import { Input, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';

const types = { 'application/zip': ['.zip'], 'text/csv': ['.csv', '.txt'] };
const maxSize = 1024 ** 3;

type Props = { file: File | null; describes: string; onChange: (file: File) => void; onReject: () => void; error?: string | undefined };

/** The export of another system, dropped or chosen. */
export const ArchiveField = ({ file, describes, onChange, onReject, error }: Props) => (
  <Input.Wrapper error={error}>
    <Dropzone
      role="button"
      aria-label="The export"
      accept={types}
      maxSize={maxSize}
      multiple={false}
      onDrop={([dropped]) => dropped && onChange(dropped)}
      onReject={onReject}
      // The button itself is what takes the focus.
      inputProps={{ style: { display: 'none' } }}
    >
      <Text size="sm" fw={500} ta="center">
        {file?.name ?? 'Drop the export here, or click to choose it'}
      </Text>
      <Text size="xs" c="dimmed" ta="center">
        {describes}
      </Text>
    </Dropzone>
  </Input.Wrapper>
);
