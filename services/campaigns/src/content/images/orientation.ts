/** The EXIF tag that says how a camera was held. It is kept, because the photo would be displayed on its side without it. */
const orientationTag = 0x0112;

/** The orientation in EXIF data, from 1 (upright) to 8. 1 if there is none. Damaged EXIF data has none. */
export function orientationOf(exif: Buffer): number {
  try {
    const order = exif.toString('latin1', 0, 2);
    if (order !== 'II' && order !== 'MM') return 1;
    const isLittle = order === 'II';
    const u16 = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
    const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
    const entries = u16(directory);
    for (let index = 0; index < entries; index += 1) {
      const entry = directory + 2 + index * 12;
      if (u16(entry) !== orientationTag) continue;
      const orientation = u16(entry + 8);
      return orientation >= 1 && orientation <= 8 ? orientation : 1;
    }
    return 1;
  } catch (error) {
    if (error instanceof RangeError) return 1;
    throw error;
  }
}

/** EXIF data with nothing but this orientation. */
export function exifOf(orientation: number): Buffer {
  const exif = Buffer.alloc(26);
  exif.write('MM\0*', 0, 'latin1');
  exif.writeUInt32BE(8, 4);
  exif.writeUInt16BE(1, 8);
  exif.writeUInt16BE(orientationTag, 10);
  exif.writeUInt16BE(3, 12);
  exif.writeUInt32BE(1, 14);
  exif.writeUInt16BE(orientation, 18);
  return exif;
}

/** The size as displayed: from 5 on, the image is turned by a quarter. */
export const turned = (width: number, height: number, orientation: number) =>
  orientation >= 5 ? { width: height, height: width } : { width, height };
