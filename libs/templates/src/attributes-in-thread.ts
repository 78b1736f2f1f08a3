import { compileTemplate } from './liquid.ts';
import type { MessageTemplates } from './message.ts';

/** The keys of the attributes that valid templates read. Runs in a worker thread; see `createTemplates`. */
export default function attributesInThread({ subject, preview_text, html, text }: MessageTemplates): string[] {
  const reads = [subject, preview_text ?? '', html, text ?? ''].flatMap((source) => compileTemplate('', source, 'text').reads);
  const keys = reads.flatMap(({ segments: [root, name, key] }) =>
    root === 'contact' && name === 'attributes' && typeof key === 'string' ? [key] : [],
  );
  return [...new Set(keys)];
}
