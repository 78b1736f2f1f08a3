import { createOutput, ImageFault, type Parsed, part } from './image-file.ts';
import { exifOf, orientationOf, turned } from './orientation.ts';

/** EXIF, XMP and unknown chunks are removed. */
const kept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/** What a file begins with, and what has pixels. */
const firsts = new Set(['VP8 ', 'VP8L', 'VP8X']);
const pixels = new Set(['VP8 ', 'VP8L', 'ANMF']);

const padding = Buffer.alloc(1);

/** The flags in VP8X that announce EXIF and XMP. */
const flags = { exif: 0x08, xmp: 0x04 };

type Chunk = { name: string; whole: Buffer; body: Buffer };

/** The chunks of a file, without their padding. Throws RangeError if the file ends too early. */
function* chunksIn(riff: Buffer): Generator<Chunk> {
  for (let at = 12; at < riff.length; ) {
    const length = riff.readUInt32LE(at + 4);
    const whole = part(riff, at, at + 8 + length);
    yield { name: riff.toString('latin1', at, at + 4), whole, body: whole.subarray(8) };
    at += 8 + length + (length % 2);
  }
}

function chunkOf(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
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
  let first: Chunk | undefined;
  let exif: Buffer | undefined;
  let hasPixels = false;
  for (const chunk of chunksIn(riff)) {
    if (chunk.name === 'EXIF') exif = chunk.body;
    if (kept.has(chunk.name)) first ??= chunk;
    hasPixels ||= pixels.has(chunk.name);
  }
  if (!first || !firsts.has(first.name) || !hasPixels) throw new ImageFault('invalid_image', 'The WebP has no pixels.');
  const { width, height } = sizeOf(first.name, first.body);
  const orientation = first.name === 'VP8X' && exif ? orientationIn(exif) : 1;
  const isTurned = orientation !== 1;
  // The last chunk may lack its padding.
  const output = createOutput(riff.length + 1);
  for (const { name, whole, body } of chunksIn(riff)) {
    if (!kept.has(name)) continue;
    output.add(name === 'VP8X' ? withFlag(whole, isTurned) : whole);
    if (body.length % 2 === 1) output.add(padding);
  }
  const turn = isTurned ? [chunkOf('EXIF', exifOf(orientation))] : [];
  const content = Buffer.concat([Buffer.from('WEBP', 'latin1'), output.bytes(), ...turn]);
  return { ...turned(width, height, orientation), bytes: chunkOf('RIFF', content) };
}

/** A VP8X chunk that announces no XMP, and EXIF only if there is an orientation to keep. */
function withFlag(whole: Buffer, isTurned: boolean): Buffer {
  const header = Buffer.from(whole);
  header.writeUInt8((whole.readUInt8(8) & ~flags.xmp & ~flags.exif) | (isTurned ? flags.exif : 0), 8);
  return header;
}

/** Some programs write the name that EXIF has in a JPEG before it. */
const orientationIn = (exif: Buffer) => orientationOf(exif.toString('latin1', 0, 4) === 'Exif' ? exif.subarray(6) : exif);
