import { ImageFault } from './image-file.ts';
import { type ReadImage, readImage } from './read-image.ts';

/** Between threads, a Buffer becomes a Uint8Array. */
export type ReadFile = Omit<ReadImage, 'bytes'> & { bytes: Uint8Array };

type Result = ReadFile | { fault: Pick<ImageFault, 'code' | 'message'> };

/** Reads a file in base64. Runs in a worker thread, so that no file can block the event loop. */
export default function readInThread(content: string): Result {
  try {
    return readImage(Buffer.from(content, 'base64'));
  } catch (error) {
    if (!(error instanceof ImageFault)) throw error;
    return { fault: { code: error.code, message: error.message } };
  }
}
