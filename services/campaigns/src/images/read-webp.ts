import { ImageFault, type Parsed, part } from './image-file.ts';
import { exifOf, orientationOf, turned } from './orientation.ts';

/** EXIF, XMP and unknown chunks are removed. */
const kept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/** The flags in VP8X that announce EXIF and XMP. */
const flags = { exif: 0x08, xmp: 0x04 };

function chunkOf(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** The size of a lossy or lossless image, from its first chunk. */
function sizeOf(name: string, body: Buffer): { width: number; height: number } {
  if (name === 'VP8X') return { width: body.readUIntLE(4, 3) + 1, height: body.readUIntLE(7, 3) + 1 };
  if (name === 'VP8L') {
    const packed = body.readUInt32LE(1);
    if (body.readUInt8(0) !== 0x2f) throw new ImageFault('invalid_image', 'The WebP is damaged.');
    return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
  }
  if (body.readUIntBE(3, 3) !== 0x9d012a) throw new ImageFault('invalid_image', 'The WebP is damaged.');
  return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff };
}

/** Throws ImageFault, or RangeError if the file ends too early. */
export function readWebp(file: Buffer): Parsed {
  const riff = part(file, 0, file.readUInt32LE(4) + 8);
  const chunks: { name: string; body: Buffer }[] = [];
  let orientation = 1;
  for (let at = 12; at < riff.length; ) {
    const name = riff.toString('latin1', at, at + 4);
    const length = riff.readUInt32LE(at + 4);
    const body = part(riff, at + 8, at + 8 + length);
    // Some programs write the name that EXIF has in a JPEG before it.
    if (name === 'EXIF') orientation = orientationOf(body.toString('latin1', 0, 4) === 'Exif' ? body.subarray(6) : body);
    if (kept.has(name)) chunks.push({ name, body });
    at += 8 + length + (length % 2);
  }
  const [first] = chunks;
  if (!first || !['VP8 ', 'VP8L', 'VP8X'].includes(first.name)) throw new ImageFault('invalid_image', 'The WebP has no pixels.');
  if (!chunks.some(({ name }) => ['VP8 ', 'VP8L', 'ANMF'].includes(name))) throw new ImageFault('invalid_image', 'The WebP has no pixels.');
  const { width, height } = sizeOf(first.name, first.body);
  const isTurned = first.name === 'VP8X' && orientation !== 1;
  const written = chunks.map(({ name, body }) => {
    if (name !== 'VP8X') return chunkOf(name, body);
    const header = Buffer.from(body);
    header.writeUInt8((body.readUInt8(0) & ~flags.xmp & ~flags.exif) | (isTurned ? flags.exif : 0), 0);
    return chunkOf(name, header);
  });
  const content = Buffer.concat([...written, ...(isTurned ? [chunkOf('EXIF', exifOf(orientation))] : [])]);
  const bytes = chunkOf('RIFF', Buffer.concat([Buffer.from('WEBP', 'latin1'), content]));
  return { ...turned(width, height, isTurned ? orientation : 1), bytes };
}
