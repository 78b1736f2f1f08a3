import { mix } from './colors.ts';
import { type Brand, type DesignNode, textOf } from './design.ts';

/** The space around the blocks of a section, in pixels. */
export const paddings = { small: 16, medium: 32, large: 56 };

/** The backgrounds of a section that follow the brand. Any other is a color of its own. */
export const brandBackgrounds = { tint: 'Tint', background: 'Page', primary: 'Primary', text: 'Dark' };

type Section = Pick<DesignNode, 'attrs'>;

export const isColor = (value: string) => /^#[0-9a-f]{6}$/i.test(value);

export function backgroundOf(section: Section, { primary, surface, background, text }: Brand['colors']): string {
  const chosen = textOf(section, 'background');
  if (isColor(chosen)) return chosen;
  if (chosen === 'background') return background;
  if (chosen === 'primary') return primary;
  return chosen === 'text' ? text : mix(primary, surface, 0.9);
}

/** Whether dark mode darkens the section as it does the page. Any other keeps its colors, because its text was chosen for them. */
export const followsScheme = (section: Section) => textOf(section, 'background') === 'background';

export function paddingOf(section: Section): number {
  const chosen = textOf(section, 'padding');
  return chosen === 'small' || chosen === 'large' ? paddings[chosen] : paddings.medium;
}
