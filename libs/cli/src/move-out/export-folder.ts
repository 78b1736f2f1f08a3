import { createReadStream } from 'node:fs';
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';
import { writePrivately } from '../write-privately.ts';

/** How much of a file is written: `next` is where reading resumes, or the ID of the job that writes it. */
const Part = z.object({ done: z.boolean(), next: z.string().nullable(), bytes: z.number(), count: z.number() });
export type Part = z.infer<typeof Part>;

const Manifest = z.object({
  format: z.literal('marketing-platform-export'),
  version: z.literal(1),
  /** Names the export, so that an import of it that was interrupted is found again. */
  id: z.string(),
  account: z.object({ id: z.string(), name: z.string(), url: z.string() }),
  started_at: z.string(),
  /** null until everything is written. */
  completed_at: z.string().nullable(),
  parts: z.record(z.string(), Part),
  /** What could not be read, with why. */
  left_out: z.array(z.string()),
});
export type Manifest = z.infer<typeof Manifest>;

const manifestName = 'export.json';

/** The manifest of a folder; undefined if it has none. Throws UsageError for a file that is something else. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, manifestName);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return Manifest.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${path} is not a valid export manifest. Choose another folder, or export the account again.`);
  }
}

export const fileOf = (folder: string, part: string) => join(folder, `${part}.ndjson`);

/** The rows of a file, one object per line; none if it does not exist. */
export async function* rowsOf(folder: string, part: string, { parts }: Manifest): AsyncIterable<Record<string, unknown>> {
  if (!parts[part]?.bytes) return;
  const lines = createInterface({ input: createReadStream(fileOf(folder, part)), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text !== '') yield rowIn(text, `${fileOf(folder, part)}, line ${number}`);
  }
}

/** Throws UsageError for a line that is not a JSON object: the file was changed since it was written. */
function rowIn(text: string, at: string): Record<string, unknown> {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    throw new UsageError(`${at} is not JSON. Export the account again.`);
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) throw new UsageError(`${at} is not a JSON object.`);
  return { ...row };
}

/** Files of an export that only the user can read. A row that was written while the process was killed is written again. */
export function createExportFolder(folder: string, manifest: Manifest) {
  const save = () => writePrivately(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);

  return {
    manifest,
    save,

    /** Writes a part in steps: `work` yields rows, with where to resume after them; null at the end. A part that is done is left alone. */
    async write(name: string, work: (next: string | null) => AsyncIterable<{ rows: readonly object[]; next: string | null }>) {
      const part = manifest.parts[name] ?? { done: false, next: null, bytes: 0, count: 0 };
      manifest.parts[name] = part;
      if (part.done) return part;
      const file = fileOf(folder, name);
      if (part.bytes > 0) await truncate(file, part.bytes);
      else await writePrivately(file, '');
      for await (const { rows, next } of work(part.next)) {
        const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
        await appendFile(file, text);
        const written = { bytes: part.bytes + Buffer.byteLength(text), count: part.count + rows.length };
        Object.assign(part, { ...written, next, done: next === null });
        await save();
      }
      part.done = true;
      await save();
      return part;
    },
  };
}

export type ExportFolder = ReturnType<typeof createExportFolder>;
