type Rgb = readonly [number, number, number];

const parse = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

const luminance = (hex: string) => {
  const [red, green, blue] = parse(hex).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
};

/** The contrast of two colors, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** `share` of the second color in the first. */
export function mix(first: string, second: string, share: number): string {
  const [a, b] = [parse(first), parse(second)];
  const part = (index: 0 | 1 | 2) =>
    Math.round(a[index] * (1 - share) + b[index] * share)
      .toString(16)
      .padStart(2, '0');
  return `#${part(0)}${part(1)}${part(2)}`;
}

/** The contrast that text needs. */
const readable = 4.5;

const inks = ['#ffffff', '#111111'];

/** White or black, whichever can be read on this color. */
export const textOn = (background: string) => inks.find((ink) => contrast(ink, background) >= readable) ?? '#000000';

/** The color, moved towards `end` until it can be read on the background. */
export function readableOn(color: string, background: string, end: string): string {
  for (let share = 0; share < 1; share += 0.1) {
    const candidate = mix(color, end, share);
    if (contrast(candidate, background) >= readable) return candidate;
  }
  return end;
}

/** What a button must differ from its background by, to be seen as one. */
const visible = 1.25;

/** The colors of what stands on a background, as near to those of the brand as can be read there. */
export function colorsOn(background: string, brand: { primary: string; text: string }) {
  const text = contrast(brand.text, background) >= readable ? brand.text : textOn(background);
  const button = contrast(brand.primary, background) >= visible ? brand.primary : text;
  return {
    text,
    link: readableOn(brand.primary, background, text),
    muted: readableOn(mix(text, background, 0.35), background, text),
    line: mix(text, background, 0.82),
    button,
    label: textOn(button),
  };
}
