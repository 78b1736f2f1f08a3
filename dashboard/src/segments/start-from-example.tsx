import { Stack } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { existingIdIn } from '../api/errors.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { Gallery } from '../lists/gallery.tsx';
import { GalleryDialog } from '../lists/gallery-dialog.tsx';
import { useNames } from '../names/names.ts';
import { ruleSentence } from '../rules/rule-sentence.ts';
import { type SegmentStarter, segmentStarters } from './segment-starters.ts';
import { useCreateSegment } from './segments.ts';
import classes from './start-from-example.module.css';

/** The segments to start from. Picking one creates it. */
export const StartFromExample = () => (
  <GalleryDialog label="Start from an example">
    <Examples />
  </GalleryDialog>
);

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
