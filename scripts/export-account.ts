import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { serviceNames } from '@mp/contracts/services';
import { z } from 'zod';
import { readOptions, refuse } from './read-options.ts';

/** Exports everything of an account from every service, before it is deleted. */
const usage = `npm run export-account -- --account account_… --to FOLDER

Writes one file per kind: FOLDER/contacts/contacts.ndjson, FOLDER/campaigns/templates.ndjson … FOLDER must be empty or new.
Secrets and credentials are left out. Suspend the account first, so that it does not change during the export.`;

const { values } = readOptions(usage, { account: { type: 'string' }, to: { type: 'string' } });
const { account, to } = values;
if (account === undefined) refuse('--account: expected the id of an account', usage);
if (to === undefined) refuse('--to: expected a folder', usage);

const Line = z.object({ kind: z.string(), document: z.unknown().optional(), documents: z.number().optional() });

await mkdir(to, { recursive: true });
if ((await readdir(to)).length > 0) refuse(`--to: the folder ${to} is not empty`, usage);

/** Returns the number of documents. Throws unless the service ended its export. */
async function exportFrom(service: string, folder: string): Promise<number> {
  const main = join(import.meta.dirname, '../services', service, 'src/main.ts');
  const child = spawn(process.execPath, [main, 'export-account', '--account', String(account)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const files = new Map<string, WriteStream>();
  let written = 0;
  let announced: number | undefined;
  await mkdir(folder, { recursive: true });
  for await (const text of createInterface({ input: child.stdout })) {
    const { kind, document, documents } = Line.parse(JSON.parse(text));
    if (kind === 'exported') announced = documents;
    else {
      const file = files.get(kind) ?? createWriteStream(join(folder, `${kind}.ndjson`));
      files.set(kind, file);
      written += 1;
      if (!file.write(`${JSON.stringify(document)}\n`)) await once(file, 'drain');
    }
  }
  for (const file of files.values()) {
    file.end();
    await finished(file);
  }
  if (announced !== written) throw new Error(`The export of ${service} is incomplete: ${written} documents of ${announced ?? 'unknown'}.`);
  return written;
}

for (const service of serviceNames) console.log(`${service}: ${await exportFrom(service, join(to, service))} documents`);
