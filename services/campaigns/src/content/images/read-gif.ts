import { createOutput, ImageFault, type Parsed, part } from './image-file.ts';

/** Application extensions that say how often an animation repeats. All others, such as XMP, are removed. */
const loops = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

/** The size of a colour table, from the flags that announce it. */
const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Where a chain of blocks ends that begins at `from`: behind its empty block. */
function endOfBlocks(file: Buffer, from: number): number {
  let at = from;
  for (let length = file.readUInt8(at); length !== 0; length = file.readUInt8(at)) at += length + 1;
  return at + 1;
}

/** Throws ImageFault, or RangeError if the file ends too early. */
export function readGif(file: Buffer): Parsed {
  const width = file.readUInt16LE(6);
  const height = file.readUInt16LE(8);
  let at = 13 + tableBytes(file.readUInt8(10));
  const output = createOutput(file.length);
  output.add(part(file, 0, at));
  let hasPixels = false;
  for (let block = file.readUInt8(at); block !== 0x3b; block = file.readUInt8(at)) {
    const start = at;
    if (block === 0x21) {
      const label = file.readUInt8(at + 1);
      at = endOfBlocks(file, at + 2);
      const isLoop = label === 0xff && loops.has(file.toString('latin1', start + 3, start + 14));
      // F9 says how long a frame is shown; 01 is text to draw, which no mail client does.
      if (label === 0xf9 || isLoop) output.add(part(file, start, at));
    } else if (block === 0x2c) {
      const pixels = at + 10 + tableBytes(file.readUInt8(at + 9)) + 1;
      at = endOfBlocks(file, pixels);
      output.add(part(file, start, at));
      hasPixels = true;
    } else throw new ImageFault('invalid_image', 'The GIF is damaged.');
  }
  if (!hasPixels) throw new ImageFault('invalid_image', 'The GIF has no pixels.');
  return { width, height, bytes: Buffer.concat([output.bytes(), Buffer.from([0x3b])]) };
}
