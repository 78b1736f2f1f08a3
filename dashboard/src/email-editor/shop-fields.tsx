import { Button, Textarea, TextInput } from '@mantine/core';
import { textOf } from '../email-design/design.ts';
import { thumbnailOf, webUrl } from '../email-design/web-url.ts';
import type { FieldsProps } from './field-props.ts';
import { LiquidInput } from './subject-fields.tsx';

type PictureFieldsProps = FieldsProps & { onImage: () => void };
type FieldProps = FieldsProps & { name: string; label: string };

const Words = ({ attrs, set, name, label }: FieldProps) => (
  <LiquidInput
    label={label}
    menuLabel={`Insert a field in the ${label.toLowerCase()}`}
    value={textOf({ attrs }, name)}
    onChange={(event) => set({ [name]: event.currentTarget.value })}
  />
);

/** A URL on the web, without which `does` cannot be. */
function Link({ attrs, set, does }: FieldsProps & { does: string }) {
  const href = textOf({ attrs }, 'href');
  return (
    <TextInput
      label="Links to"
      placeholder="https://example.com/"
      value={href}
      error={does !== '' && webUrl(href) === '' ? `Enter the URL that ${does}, with https://.` : undefined}
      onChange={(event) => set({ href: event.currentTarget.value })}
    />
  );
}

const Picture = ({ attrs, set, onImage, description }: PictureFieldsProps & { description?: string | undefined }) => (
  <>
    <Button variant="default" size="xs" onClick={onImage}>
      {textOf({ attrs }, 'src') === '' ? 'Choose an image' : 'Replace the image'}
    </Button>
    <TextInput
      label="Image URL"
      description={description}
      placeholder="https://example.com/image.jpg"
      value={textOf({ attrs }, 'src')}
      onChange={(event) => set({ src: event.currentTarget.value })}
    />
  </>
);

export const ProductFields = (props: PictureFieldsProps) => (
  <>
    <Picture {...props} />
    <Words {...props} name="name" label="Name" />
    <Words {...props} name="price" label="Price" />
    <Textarea
      label="Description"
      autosize
      minRows={2}
      value={textOf(props, 'description')}
      onChange={(event) => props.set({ description: event.currentTarget.value })}
    />
    <Words {...props} name="label" label="Button" />
    <Link {...props} does={textOf(props, 'label') === '' ? '' : 'the button opens'} />
  </>
);

export const VideoFields = (props: PictureFieldsProps) => (
  <>
    <Link {...props} does="plays the video" />
    <Picture
      {...props}
      description={thumbnailOf(textOf(props, 'href')) === '' ? undefined : 'Leave empty for YouTube’s picture of the video.'}
    />
    <TextInput
      label="Alternative text"
      description="What the image shows, for people who can't see it."
      value={textOf(props, 'alt')}
      onChange={(event) => props.set({ alt: event.currentTarget.value })}
    />
    <Words {...props} name="label" label="Text under the image" />
  </>
);
