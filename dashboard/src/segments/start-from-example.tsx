import { Button, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ErrorAlert } from '../api/error-alert.tsx';
import { existingIdIn } from '../api/errors.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { Gallery } from '../lists/gallery.tsx';
import { useNames } from '../names/names.ts';
import { ruleSentence } from '../rules/rule-sentence.ts';
import { type SegmentStarter, segmentStarters } from './segment-starters.ts';
import { useCreateSegment } from './segments.ts';
import classes from './start-from-example.module.css';

/** Opens the segments to start from. Picking one creates it. */
export function StartFromExample() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Start from an example
      </Button>
      <Modal opened={opened} onClose={close} title="Start from an example" size="xl" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Examples />
      </Modal>
    </>
  );
}

function Examples() {
  const { named } = useNames();
  const creation = useCreateSegment();
  const finish = useFinishForm();
  const create = ({ name, describes: description, definition }: SegmentStarter) =>
    creation.mutate(
      { name, description, definition },
      {
        onSuccess: ({ id }) => finish(`${name} was created.`, { to: '/segments/$id', params: { id } }),
        onError: (error) => {
          const id = existingIdIn(error);
          if (id !== undefined) finish(`${name} is already there.`, { to: '/segments/$id', params: { id } });
        },
      },
    );
  return (
    <Stack gap="md">
      {creation.error && <ErrorAlert error={creation.error} title="Couldn't create the segment" />}
      <Gallery
        starters={segmentStarters}
        picture={({ definition }) => <p className={classes.sentence}>{ruleSentence(definition, named)}</p>}
        pending={creation.isPending ? segmentStarters.find(({ name }) => name === creation.variables.name)?.id : undefined}
        onPick={create}
      />
    </Stack>
  );
}
