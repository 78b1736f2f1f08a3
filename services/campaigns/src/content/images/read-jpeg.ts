import { createOutput, ImageFault, type Parsed, part } from './image-file.ts';
import { exifOf, orientationOf, turned } from './orientation.ts';

const marks = { start: 0xd8, end: 0xd9, scan: 0xda, exif: 0xe1, profile: 0xe2, adobe: 0xee, comment: 0xfe };
const exifName = 'Exif\0\0';
const profileName = 'ICC_PROFILE\0';

/** SOF0 to SOF15, without the three marks between them that mean something else. */
const isFrame = (mark: number) => mark >= 0xc0 && mark <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(mark);

/** Application segments are removed, except JFIF (E0), color profiles and what Adobe says about colors; so are comments. */
function isKept(mark: number, body: Buffer): boolean {
  if (mark === marks.profile) return body.toString('latin1', 0, profileName.length) === profileName;
  if (mark > 0xe0 && mark <= 0xef) return mark === marks.adobe;
  return mark !== marks.comment;
}

function segment(mark: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, mark, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** Where the compressed pixels end: at the next mark that is neither a stuffed byte nor a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file.readUInt8(at + 1);
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new RangeError('the file ends within its pixels');
}

/** Throws ImageFault, or RangeError if the file ends too early. */
export function readJpeg(file: Buffer): Parsed {
  const output = createOutput(file.length);
  let size: { width: number; height: number } | undefined;
  let exif: Buffer | undefined;
  let hasPixels = false;
  for (let at = 2; ; ) {
    if (file.readUInt8(at) !== 0xff) throw new ImageFault('invalid_image', 'The JPEG is damaged.');
    const mark = file.readUInt8(at + 1);
    if (mark === 0xff) {
      at += 1;
      continue;
    }
    if (mark === marks.end) break;
    const length = file.readUInt16BE(at + 2);
    if (length < 2) throw new ImageFault('invalid_image', 'The JPEG is damaged.');
    const end = at + 2 + length;
    const body = part(file, at + 4, end);
    if (isFrame(mark)) size = { height: body.readUInt16BE(1), width: body.readUInt16BE(3) };
    if (mark === marks.exif && body.toString('latin1', 0, exifName.length) === exifName) exif = body.subarray(exifName.length);
    if (isKept(mark, body)) output.add(file.subarray(at, end));
    at = end;
    if (mark !== marks.scan) continue;
    at = endOfScan(file, end);
    output.add(file.subarray(end, at));
    hasPixels = true;
  }
  if (!size || !hasPixels) throw new ImageFault('invalid_image', 'The JPEG has no pixels.');
  const orientation = exif ? orientationOf(exif) : 1;
  const upright = orientation === 1 ? [] : [segment(marks.exif, Buffer.concat([Buffer.from(exifName, 'latin1'), exifOf(orientation)]))];
  const bytes = Buffer.concat([file.subarray(0, 2), ...upright, output.bytes(), Buffer.from([0xff, marks.end])]);
  return { ...turned(size.width, size.height, orientation), bytes };
}
