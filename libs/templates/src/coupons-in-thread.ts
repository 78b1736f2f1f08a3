import { couponsOf } from './coupons.ts';
import { compileTemplate } from './liquid.ts';
import type { MessageTemplates } from './message.ts';

/** The coupons that valid templates read. Runs in a worker thread; see `createTemplates`. */
export default function couponsInThread({ subject, preview_text, html, text }: MessageTemplates): string[] {
  return couponsOf([subject, preview_text ?? '', html, text ?? ''].flatMap((source) => compileTemplate('', source, 'text').reads));
}
