import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { extendedWebp, images, webpChunk, withChunk, withExtension, withSegment } from '../../../test/image-fixtures.ts';
import { ImageFault } from './image-file.ts';
import { exifOf } from './orientation.ts';
import { readImage } from './read-image.ts';

const all = Object.values(images);
const place = Buffer.from('taken in Berlin');

/** The code of the fault of a file. */
function faultOf(file: Buffer): string {
  try {
    readImage(file);
    return 'none';
  } catch (error) {
    assert.ok(error instanceof ImageFault, String(error));
    return error.code;
  }
}

test('the type and the size are read from the content, and the pixels stay as they are', () => {
  const types = ['image/png', 'image/gif', 'image/webp', 'image/jpeg'];
  for (const [index, file] of all.entries()) {
    const { content_type, width, height, bytes } = readImage(file);
    assert.deepEqual([content_type, width, height], [types[index], 3, 2]);
    assert.deepEqual(readImage(bytes).bytes, bytes, 'what is stored is an image without metadata');
  }
  assert.deepEqual(readImage(images.png).bytes, images.png);
  assert.deepEqual(readImage(images.jpeg).bytes, images.jpeg);
});

test('metadata is removed from every format', () => {
  const { png, jpeg, gif, webp } = images;
  assert.deepEqual(readImage(withChunk(withChunk(png, 'tEXt', place), 'eXIf', place)).bytes, png);
  const noted = withSegment(withSegment(withSegment(jpeg, 0xe1, place), 0xed, place), 0xfe, place);
  assert.deepEqual(readImage(noted).bytes, jpeg);
  assert.deepEqual(readImage(withExtension(withExtension(gif, 0xfe, place), 0xff, Buffer.from('XMP DataXMP'), place)).bytes, gif);
  assert.ok(!readImage(extendedWebp(webp, 1)).bytes.includes('Berlin'));
});

test('data after the end of an image is removed, so that a file cannot also be of another type', () => {
  const page = Buffer.from('<script>alert(1)</script>PK\x03\x04');
  for (const file of all) assert.deepEqual(readImage(Buffer.concat([file, page])).bytes, readImage(file).bytes);
});

test('an animation keeps repeating, and a frame its time', () => {
  const animated = withExtension(
    withExtension(images.gif, 0xf9, Buffer.from([0, 10, 0, 0])),
    0xff,
    Buffer.from('NETSCAPE2.0'),
    Buffer.from([1, 0, 0]),
  );
  assert.deepEqual(readImage(animated).bytes, animated);
});

test('a rotated photo keeps its orientation, and its size is the one displayed', () => {
  const exif = (orientation: number) => Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifOf(orientation)]);
  const turned = readImage(withSegment(images.jpeg, 0xe1, exif(6)));
  assert.deepEqual([turned.width, turned.height], [2, 3]);
  assert.deepEqual(turned.bytes, withSegment(images.jpeg, 0xe1, exif(6)));
  assert.deepEqual(readImage(withSegment(images.jpeg, 0xe1, exif(1))).bytes, images.jpeg);
  const webp = readImage(extendedWebp(images.webp, 8));
  assert.deepEqual([webp.width, webp.height], [2, 3]);
  assert.ok(webp.bytes.includes(exifOf(8)));
});

test('other, damaged and incomplete files are rejected with the reason', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  for (const text of ['', 'hello', svg, '<html>', '%PDF-1.7', 'BM', '\x89PNG', 'GIF8', 'RIFF'])
    assert.equal(faultOf(Buffer.from(text, 'latin1')), 'invalid_image');
  for (const [name, file] of Object.entries(images)) {
    const codes = new Set(Array.from({ length: file.length - 13 }, (_, cut) => faultOf(file.subarray(0, cut + 13))));
    assert.ok(!codes.has('none'), `every beginning of the ${name} is rejected`);
    assert.ok(codes.has('truncated_image'));
  }
  const damaged = Buffer.from(images.png);
  damaged.writeUInt8(damaged.readUInt8(20) ^ 1, 20);
  assert.equal(faultOf(damaged), 'invalid_image');
});

test('an image with no pixels, or with too many, is rejected', () => {
  const sized = (width: number) => {
    const gif = Buffer.from(images.gif);
    gif.writeUInt16LE(width, 6);
    return gif;
  };
  assert.equal(faultOf(sized(0)), 'invalid_image');
  assert.equal(faultOf(sized(10_000)), 'none');
  assert.equal(faultOf(sized(10_001)), 'image_too_large');
});

test('any file is an image without metadata or a fault, never another error', () => {
  const changed = fc
    .tuple(fc.constantFrom(...all), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), fc.uint8Array({ maxLength: 40 }))
    .map(([file, changes, end]) => {
      const bytes = Buffer.concat([file, end]);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return bytes;
    });
  fc.assert(
    fc.property(changed, (file) => {
      if (faultOf(file) !== 'none') return;
      const { bytes } = readImage(file);
      assert.deepEqual(readImage(bytes).bytes, bytes);
    }),
    { numRuns: 3_000 },
  );
});

test('of any structure, the parts that change how an image looks stay, in order, and no others', () => {
  const { png, jpeg, gif, webp } = images;
  const body = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes));
  const structure = (names: string) => fc.array(fc.tuple(fc.constantFrom(...names.split(' ')), body), { maxLength: 40 });
  const stays = (kept: string, parts: [string, Buffer][]) => parts.filter(([name]) => kept.split(' ').includes(name));
  const sized = (file: Buffer) => {
    file.writeUInt32LE(file.length - 8, 4);
    return file;
  };
  const formats = [
    {
      names: 'IDAT gAMA fdAT tEXt eXIf tIME',
      kept: 'IDAT gAMA fdAT',
      write: (parts: [string, Buffer][]) => parts.toReversed().reduce<Buffer>((file, [name, bytes]) => withChunk(file, name, bytes), png),
    },
    {
      names: 'e0 ee db e1 ed fe',
      kept: 'e0 ee db',
      write: (parts: [string, Buffer][]) =>
        parts.toReversed().reduce<Buffer>((file, [mark, bytes]) => withSegment(file, Number.parseInt(mark, 16), bytes), jpeg),
    },
    {
      names: 'f9 fe 01',
      kept: 'f9',
      write: (parts: [string, Buffer][]) =>
        parts
          .toReversed()
          .reduce<Buffer>(
            (file, [label, bytes]) => withExtension(file, Number.parseInt(label, 16), ...(bytes.length > 0 ? [bytes] : [])),
            gif,
          ),
    },
    {
      names: 'ALPH ICCP ANMF EXIF XMP_ JUNK',
      kept: 'ALPH ICCP ANMF',
      write: (parts: [string, Buffer][]) => sized(Buffer.concat([webp, ...parts.map(([name, bytes]) => webpChunk(name, bytes))])),
    },
  ];
  for (const { names, kept, write } of formats) {
    fc.assert(
      fc.property(structure(names), (parts) => {
        assert.deepEqual(readImage(write(parts)).bytes, write(stays(kept, parts)));
      }),
      { numRuns: 300 },
    );
  }
});
