import { type ImageType, maxSide } from './image.ts';
import { ImageFault, type Parsed } from './image-file.ts';
import { readGif } from './read-gif.ts';
import { readJpeg } from './read-jpeg.ts';
import { readPng } from './read-png.ts';
import { readWebp } from './read-webp.ts';

/** An image without its metadata, and without anything that follows it in the file. */
export type ReadImage = { content_type: ImageType } & Parsed;

/** Each format by the bytes that its files begin with. */
const formats: readonly { type: ImageType; isStart: (file: Buffer) => boolean; read: (file: Buffer) => Parsed }[] = [
  { type: 'image/png', isStart: (file) => file.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')), read: readPng },
  { type: 'image/jpeg', isStart: (file) => file.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])), read: readJpeg },
  { type: 'image/gif', isStart: (file) => /^GIF8[79]a/.test(file.toString('latin1', 0, 6)), read: readGif },
  { type: 'image/webp', isStart: (file) => /^RIFF....WEBP/s.test(file.toString('latin1', 0, 12)), read: readWebp },
];

/** Reads the type from the content and removes the metadata: where a photo was taken, by whom, comments. Throws ImageFault. */
export function readImage(file: Buffer): ReadImage {
  const format = formats.find(({ isStart }) => isStart(file));
  if (!format) throw new ImageFault('invalid_image', 'The file is not an image in PNG, JPEG, GIF or WebP.');
  const { width, height, bytes } = read(format.read, file);
  if (width < 1 || height < 1) throw new ImageFault('invalid_image', 'The image has no pixels.');
  if (width > maxSide || height > maxSide)
    throw new ImageFault('image_too_large', `The image has ${width} × ${height} pixels; at most ${maxSide} × ${maxSide} are accepted.`);
  return { content_type: format.type, width, height, bytes };
}

/** Readers read past the end only of a file that ends too early. */
function read(parse: (file: Buffer) => Parsed, file: Buffer): Parsed {
  try {
    return parse(file);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ImageFault('truncated_image', 'The file is not complete; upload the whole file.');
  }
}
