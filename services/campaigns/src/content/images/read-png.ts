import { crc32 } from 'node:zlib';
import { createOutput, ImageFault, type Parsed, part } from './image-file.ts';

/** Chunks that change how the image looks. Text, times, EXIF and unknown ones are removed. */
const kept = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT bKGD hIST sPLT pHYs acTL fcTL fdAT'.split(' '));

/** Length, type and checksum of a chunk. */
const around = 12;

/** Throws ImageFault, or RangeError if the file ends too early. */
export function readPng(file: Buffer): Parsed {
  const output = createOutput(file.length);
  output.add(part(file, 0, 8));
  const seen = new Set<string>();
  for (let at = 8; !seen.has('IEND'); ) {
    const length = file.readUInt32BE(at);
    const chunk = part(file, at, at + length + around);
    const type = chunk.toString('latin1', 4, 8);
    if (crc32(chunk.subarray(4, -4)) !== chunk.readUInt32BE(chunk.length - 4))
      throw new ImageFault('invalid_image', 'The PNG is damaged: a checksum is wrong.');
    if (seen.size === 0 && type !== 'IHDR') throw new ImageFault('invalid_image', 'The PNG does not begin with its header.');
    seen.add(type);
    if (kept.has(type)) output.add(chunk);
    at += chunk.length;
  }
  if (!seen.has('IDAT')) throw new ImageFault('invalid_image', 'The PNG has no pixels.');
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20), bytes: Buffer.from(output.bytes()) };
}
