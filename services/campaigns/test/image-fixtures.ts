import { crc32 } from 'node:zlib';
import { exifOf } from '../src/content/images/orientation.ts';

const file = (base64: string) => Buffer.from(base64, 'base64');

/** Red images of 3 × 2 pixels. */
export const images = {
  png: file('iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEklEQVR4AWI6w8DwH4aZGJAAAAAA//8oLckKAAAABklEQVQDAGhmBWbdDDM4AAAAAElFTkSuQmCC'),
  gif: file('R0lGODlhAwACAIAAAMwAAAAAACwAAAAAAwACAAACAoRfADs='),
  webp: file('UklGRjQAAABXRUJQVlA4ICgAAABwAQCdASoDAAIAB0CWJaACdAFAAAD+6WkRiw8Nr/+CC/EH6g1AAAAA'),
  jpeg: file(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAgT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCAAKn/2Q==',
  ),
};

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** The PNG with a chunk after its header. */
export function withChunk(png: Buffer, type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const chunk = Buffer.concat([uint32(body.length), typed, uint32(crc32(typed))]);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

/** The JPEG with a segment after its first mark. */
export function withSegment(jpeg: Buffer, mark: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, mark, (body.length + 2) >> 8, (body.length + 2) & 255]);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

/** The GIF with an extension before its pixels. */
export const withExtension = (gif: Buffer, label: number, ...blocks: Buffer[]) =>
  Buffer.concat([
    gif.subarray(0, 19),
    Buffer.from([0x21, label]),
    ...blocks.flatMap((block) => [Buffer.from([block.length]), block]),
    Buffer.from([0]),
    gif.subarray(19),
  ]);

/** A chunk of a WebP. */
export function webpChunk(name: string, body: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(name, 'latin1'), size, body, Buffer.alloc(body.length % 2)]);
}

/** The WebP in the extended format, with EXIF and XMP. */
export function extendedWebp(webp: Buffer, orientation: number): Buffer {
  const header = Buffer.from([0x0c, 0, 0, 0, 2, 0, 0, 1, 0, 0]);
  const content = Buffer.concat([
    Buffer.from('WEBP'),
    webpChunk('VP8X', header),
    webp.subarray(12),
    webpChunk('EXIF', exifOf(orientation)),
    webpChunk('XMP ', Buffer.from('<x:xmpmeta>Berlin</x:xmpmeta>')),
  ]);
  return webpChunk('RIFF', content);
}
