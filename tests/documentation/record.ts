import { readFile, writeFile } from 'node:fs/promises';
import { formatJson } from '../../scripts/format-json.ts';
import { recordExamples } from './record-examples.ts';

/** `npm run examples`: exercises every operation on a new platform and writes the examples that changed. */
const file = new URL('../../services/gateway/config/examples.json', import.meta.url);
const cleanUps: (() => Promise<void>)[] = [];
try {
  const previous = JSON.parse(await readFile(file, 'utf8'));
  const examples = await recordExamples({ after: (cleanUp) => cleanUps.push(cleanUp) }, previous);
  await writeFile(file, formatJson(examples));
} finally {
  for (const cleanUp of cleanUps) await cleanUp();
}
