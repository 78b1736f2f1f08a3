import { maxImageBytes } from '../src/content/images/image.ts';
import { images, withChunk } from './image-fixtures.ts';

const { png, gif, jpeg, webp } = images;

/** A file of the largest size: the piece between head and tail as often as it fits. */
function filled(head: Buffer, piece: Buffer, tail: Buffer): Buffer {
  const middle = Buffer.alloc(Math.floor((maxImageBytes - head.length - tail.length) / piece.length) * piece.length, piece);
  return Buffer.concat([head, middle, tail]);
}

const inJpeg = (...bytes: number[]) => filled(jpeg.subarray(0, 2), Buffer.from(bytes), jpeg.subarray(2));

function inWebp(piece: string): Buffer {
  const file = filled(webp, Buffer.from(piece, 'latin1'), Buffer.alloc(0));
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

/** Valid images of 5 MiB that consist of as many parts as possible. */
export const hostileImages = [
  // GIF of empty extensions
  filled(gif.subarray(0, 19), Buffer.from([0x21, 0xf9, 0]), gif.subarray(19)),
  // PNG of empty IDAT
  filled(png.subarray(0, 33), withChunk(png, 'IDAT', Buffer.alloc(0)).subarray(33, 45), png.subarray(33)),
  // JPEG of empty APP0
  inJpeg(0xff, 0xe0, 0, 2),
  // JPEG of empty EXIF
  inJpeg(0xff, 0xe1, 0, 16, ...Buffer.from('Exif\0\0II*\0\xff\xff\xff\xff', 'latin1')),
  // JPEG of stuffed bytes
  filled(jpeg.subarray(0, -2), Buffer.from([0xff, 0]), jpeg.subarray(-2)),
  // WebP of empty ALPH
  inWebp('ALPH\0\0\0\0'),
  // WebP of empty EXIF
  inWebp('EXIF\x02\0\0\0II'),
];
