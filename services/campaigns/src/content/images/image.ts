import { Base64 } from '@mp/contracts/base64';
import { Name } from '@mp/contracts/text';
import { z } from 'zod';

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

/** What the URL of an image ends with. */
export const extensions: Record<ImageType, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' };

export const maxImageBytes = 5 * 1_048_576;
/** A request with an image of that size in base64. */
export const maxUploadBytes = 7 * 1_048_576;
/** The maximum width and height in pixels. */
export const maxSide = 10_000;
/** What an account can store. */
export const maxImages = 2_000;
export const maxTotalBytes = 1_073_741_824;

export const Image = z
  .object({
    id: z.string().describe('The ID of the image.'),
    url: z.string().describe('The public URL of the image, for the `src` in an email. It cannot be guessed and never changes.'),
    name: z.string().describe('The name of the image, such as its file name; recipients do not see it.'),
    content_type: z.enum(imageTypes).describe('The type, detected from the content.'),
    width: z.number().int().describe('The width in pixels, as displayed.'),
    height: z.number().int().describe('The height in pixels, as displayed.'),
    size: z.number().int().describe('The size in bytes, without metadata.'),
    created_at: z.iso.datetime().describe('When the image was uploaded.'),
  })
  .meta({ id: 'Image' });
export type Image = z.infer<typeof Image>;

export const UploadImageBody = z.strictObject({
  name: Name(255).describe('The name of the image, such as its file name.'),
  content: Base64.min(1)
    .max(Math.ceil(maxImageBytes / 3) * 4, 'An image can be at most 5 MiB.')
    .describe('The file in base64, at most 5 MiB.'),
});
