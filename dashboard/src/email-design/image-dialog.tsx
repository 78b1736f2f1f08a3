import '@mantine/dropzone/styles.css';
import { Button, Modal, Stack, Text, UnstyledButton } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { shownSource } from '../email-frame/image-source.ts';
import classes from './image-dialog.module.css';
import { type Image, imageTypes, useImages, useUploadImage } from './images.ts';

/** Chooses an image: a new one from the computer, or one that was uploaded before. */
export function ImageDialog({ onPick, onClose }: { onPick: (image: Image) => void; onClose: () => void }) {
  const images = useImages();
  const upload = useUploadImage();
  const take = ([file]: File[]) => {
    if (file) upload.mutate(file, { onSuccess: onPick });
  };
  return (
    <Modal opened onClose={onClose} title="Image" size="lg" closeButtonProps={{ 'aria-label': 'Close' }} returnFocus={false}>
      <Stack gap="md">
        <Dropzone
          onDrop={take}
          // Says why, as for a file that the API rejects.
          onReject={(rejected) => take(rejected.map(({ file }) => file))}
          accept={imageTypes}
          multiple={false}
          loading={upload.isPending}
          role="button"
          // The button itself is what takes the focus.
          inputProps={{ style: { display: 'none' } }}
          aria-label="Choose an image"
        >
          <Stack gap={4} align="center" py="lg">
            <Text size="sm" fw={500}>
              Drop an image here, or click to choose one
            </Text>
            <Text size="xs" c="dimmed">
              PNG, JPEG, GIF or WebP, up to 5 MiB
            </Text>
          </Stack>
        </Dropzone>
        {upload.error && <ErrorAlert error={upload.error} title="Couldn't upload the image" />}
        {images.error && <ErrorAlert error={images.error} title="Couldn't load your images" onRetry={() => void images.reload()} />}
        {images.isPending && <Outline of="your images" shape="cards" />}
        {images.rows.length > 0 && (
          <>
            <Text size="sm" fw={500}>
              Your images
            </Text>
            <div className={classes.gallery}>
              {images.rows.map((image) => (
                <UnstyledButton key={image.id} className={classes.thumbnail} aria-label={`Use ${image.name}`} onClick={() => onPick(image)}>
                  <img src={shownSource(image.url)} alt="" loading="lazy" />
                </UnstyledButton>
              ))}
            </div>
            {images.hasMore && (
              <Button variant="default" size="xs" loading={images.isLoadingMore} onClick={() => void images.loadMore()}>
                Show more
              </Button>
            )}
          </>
        )}
      </Stack>
    </Modal>
  );
}
