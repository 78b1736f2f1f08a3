import { colorsOn } from '../email-design/colors.ts';
import type { Brand } from '../email-design/design.ts';

/** A background and what stands on it, for the style sheet of the canvas. */
export function variablesOn(background: string, brand: Brand['colors']): Record<`--${string}`, string> {
  const { text, link, muted, line, button, label } = colorsOn(background, brand);
  return {
    '--email-background': background,
    '--email-text': text,
    '--email-link': link,
    '--email-muted': muted,
    '--email-line': line,
    '--email-button': button,
    '--email-label': label,
  };
}
