/** Why a file is not an image that emails can show. */
export class ImageFault extends Error {
  readonly code: 'invalid_image' | 'truncated_image' | 'image_too_large';

  constructor(code: ImageFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** What a format's reader returns, before the limits that all formats share. */
export type Parsed = { width: number; height: number; bytes: Buffer };

/**
 * Collects the parts of a file that are kept, in one buffer: a file can consist of millions of parts, and a Buffer for each would
 * take more memory than a process has.
 */
export function createOutput(maxBytes: number) {
  const bytes = Buffer.allocUnsafe(maxBytes);
  let length = 0;
  return {
    add(kept: Buffer) {
      kept.copy(bytes, length);
      length += kept.length;
    },
    bytes: () => bytes.subarray(0, length),
  };
}

/** The bytes from `start` to `end`. Throws RangeError if the file ends before. */
export function part(file: Buffer, start: number, end: number): Buffer {
  if (end > file.length) throw new RangeError('the file ends too early');
  return file.subarray(start, end);
}
