import { mix, readableOn, textOn } from './colors.ts';
import { shownIf } from './condition.ts';
import { type Brand, type DesignNode, type EmailDesign, networkNames, numberOf, socialLinksOf, textOf } from './design.ts';
import { htmlAttribute, htmlText, mergeTag } from './liquid-text.ts';

export const fontStacks: Record<Brand['font'], string> = {
  system: "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
  arial: 'Arial,Helvetica,sans-serif',
  georgia: "Georgia,'Times New Roman',serif",
  helvetica: 'Helvetica,Arial,sans-serif',
  tahoma: 'Tahoma,Verdana,sans-serif',
  times: "'Times New Roman',Times,serif",
  trebuchet: "'Trebuchet MS',Tahoma,sans-serif",
  verdana: 'Verdana,Geneva,sans-serif',
};

const width = 600;
const dark = { background: '#111317', surface: '#1b1f25', text: '#e8eaed', line: '#3a404a' };

/** What every block is rendered with. */
type Theme = { brand: Brand; font: string; link: string; muted: string; line: string; button: string };

function themeOf(brand: Brand): Theme {
  const { primary, surface, background, text } = brand.colors;
  return {
    brand,
    font: `font-family:${fontStacks[brand.font]}`,
    link: readableOn(primary, surface, text),
    muted: readableOn(mix(text, background, 0.35), background, text),
    line: mix(text, surface, 0.82),
    button: textOn(primary),
  };
}

const headings = [
  { size: 28, height: 1.25 },
  { size: 22, height: 1.3 },
  { size: 18, height: 1.4 },
];

const alignments = ['left', 'center', 'right'];

/** Any other value would end the style. */
const alignOf = (node: DesignNode, usual = 'left') => {
  const align = textOf(node, node.type === 'paragraph' || node.type === 'heading' ? 'textAlign' : 'align');
  return alignments.includes(align) ? align : usual;
};

const marks: Record<string, (inner: string, attrs: Record<string, unknown>, theme: Theme) => string> = {
  bold: (inner) => `<strong>${inner}</strong>`,
  italic: (inner) => `<em>${inner}</em>`,
  underline: (inner) => `<u>${inner}</u>`,
  strike: (inner) => `<s>${inner}</s>`,
  link: (inner, { href }, { link }) =>
    typeof href === 'string' && href !== ''
      ? `<a href="${htmlAttribute(href)}" class="e-link" style="color:${link};text-decoration:underline">${inner}</a>`
      : inner,
};

function inline(nodes: readonly DesignNode[] = [], theme: Theme): string {
  return nodes
    .map((node) => {
      if (node.type === 'hardBreak') return '<br>';
      const text = node.type === 'mergeTag' ? mergeTag(textOf(node, 'field'), textOf(node, 'fallback')) : htmlText(node.text ?? '');
      return (node.marks ?? []).reduceRight((inner, { type, attrs = {} }) => marks[type]?.(inner, attrs, theme) ?? inner, text);
    })
    .join('');
}

const linked = (href: string, inner: string) => (href === '' ? inner : `<a href="${htmlAttribute(href)}">${inner}</a>`);

function image(node: DesignNode): string {
  const source = textOf(node, 'src');
  if (source === '') return '';
  const align = alignOf(node, 'center');
  const shown = Math.min(numberOf(node, 'width') ?? width - 64, width - 64);
  const picture = `<img src="${htmlAttribute(source)}" alt="${htmlAttribute(textOf(node, 'alt'))}" width="${shown}" style="display:inline-block;width:${shown}px;max-width:100%;height:auto;border:0;border-radius:6px">`;
  return `<div style="margin:0 0 20px;text-align:${align}">${linked(textOf(node, 'href'), picture)}</div>`;
}

function button(node: DesignNode, { brand, font, button: label }: Theme): string {
  const { primary } = brand.colors;
  const anchor = `<a href="${htmlAttribute(textOf(node, 'href'))}" style="display:inline-block;padding:13px 26px;${font};font-size:16px;font-weight:600;line-height:1.25;color:${label};text-decoration:none;border-radius:6px">${htmlText(textOf(node, 'label'))}</a>`;
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" align="${alignOf(node)}" style="margin:4px 0 24px"><tr><td style="border-radius:6px;background:${primary}" bgcolor="${primary}">${anchor}</td></tr></table><div style="clear:both;line-height:0;font-size:0">&nbsp;</div>`;
}

function columns({ content = [] }: DesignNode, theme: Theme): string {
  const each = Math.floor(100 / Math.max(1, content.length));
  const cells = content.map((column, index) => {
    const space = index === content.length - 1 ? 0 : 16;
    return `<td class="e-column" width="${each}%" valign="top" style="width:${each}%;padding:0 ${space}px 0 0;vertical-align:top">${blocks(column.content, theme)}</td>`;
  });
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>${cells.join('')}</tr></table>`;
}

function social(node: DesignNode, theme: Theme): string {
  const links = socialLinksOf(node, theme.brand).map(
    ({ network, url }) =>
      `<a href="${htmlAttribute(url)}" class="e-link" style="color:${theme.link};text-decoration:underline">${networkNames[network] ?? htmlText(network)}</a>`,
  );
  if (links.length === 0) return '';
  return `<p class="e-text" style="margin:0 0 20px;${theme.font};font-size:14px;line-height:1.6;text-align:${alignOf(node, 'center')};color:${theme.brand.colors.text}">${links.join(' &nbsp;·&nbsp; ')}</p>`;
}

const list = (tag: 'ul' | 'ol', { content = [] }: DesignNode, theme: Theme) =>
  `<${tag} class="e-text" style="margin:0 0 16px;padding:0 0 0 24px;${theme.font};font-size:16px;line-height:1.6;color:${theme.brand.colors.text}">${content
    .map((item) => `<li style="margin:0 0 6px">${listItem(item, theme)}</li>`)
    .join('')}</${tag}>`;

/** A list item without the space that paragraphs have. */
const listItem = ({ content = [] }: DesignNode, theme: Theme) =>
  content.map((node) => (node.type === 'paragraph' ? inline(node.content, theme) : block(node, theme))).join('');

function block(node: DesignNode, theme: Theme): string {
  const { text } = theme.brand.colors;
  switch (node.type) {
    case 'paragraph':
      return `<p class="e-text" style="margin:0 0 16px;${theme.font};font-size:16px;line-height:1.6;text-align:${alignOf(node)};color:${text}">${inline(node.content, theme) || '&nbsp;'}</p>`;
    case 'heading': {
      const level = Math.min(Math.max(numberOf(node, 'level') ?? 2, 1), headings.length);
      const { size, height } = headings[level - 1] ?? { size: 22, height: 1.3 };
      return `<h${level} class="e-text" style="margin:0 0 14px;${theme.font};font-size:${size}px;font-weight:700;line-height:${height};text-align:${alignOf(node)};color:${text}">${inline(node.content, theme)}</h${level}>`;
    }
    case 'bulletList':
      return list('ul', node, theme);
    case 'orderedList':
      return list('ol', node, theme);
    case 'blockquote':
      return `<blockquote class="e-line" style="margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid ${theme.line}">${blocks(node.content, theme)}</blockquote>`;
    case 'horizontalRule':
      return `<hr class="e-line" style="margin:8px 0 24px;border:0;border-top:1px solid ${theme.line}">`;
    case 'image':
      return image(node);
    case 'button':
      return button(node, theme);
    case 'columns':
      return columns(node, theme);
    case 'social':
      return social(node, theme);
    default:
      return blocks(node.content, theme);
  }
}

const blocks = (nodes: readonly DesignNode[] = [], theme: Theme): string =>
  nodes.map((node) => shownIf(node, block(node, theme))).join('\n');

/** The URL that leads to the page behind the unsubscribe link. */
const unsubscribe = '{{ unsubscribe_url }}';

function logo({ logo_url, logo_width, website_url, company_name }: Brand): string {
  if (!logo_url) return '';
  const picture = `<img src="${htmlAttribute(logo_url)}" alt="${htmlAttribute(company_name ?? 'Logo')}" width="${logo_width}" style="width:${logo_width}px;max-width:100%;height:auto;border:0">`;
  return `<tr><td align="center" style="padding:0 0 24px">${linked(website_url ?? '', picture)}</td></tr>`;
}

function footer({ brand, font, muted }: Theme): string {
  const lines = [brand.company_name, brand.postal_address, brand.footer_text]
    .filter((line) => line !== null && line !== '')
    .map((line) => htmlText(line ?? '').replaceAll('\n', '<br>'));
  const link = `<a href="${unsubscribe}" class="e-muted" style="color:${muted};text-decoration:underline">Unsubscribe or change your preferences</a>`;
  const paragraphs = [...lines, link].map(
    (line) =>
      `<p class="e-muted" style="margin:0 0 8px;${font};font-size:13px;line-height:1.5;color:${muted};text-align:center">${line}</p>`,
  );
  return paragraphs.join('\n');
}

const darkLink = (brand: Brand) => readableOn(brand.colors.primary, dark.surface, '#ffffff');

const styles = ({ brand }: Theme) => `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){.e-column{display:block!important;width:100%!important;padding:0!important}.e-surface{padding:24px 20px 12px!important}}
@media (prefers-color-scheme:dark){.e-page{background:${dark.background}!important}.e-surface{background:${dark.surface}!important}.e-text{color:${dark.text}!important}.e-link{color:${darkLink(brand)}!important}.e-muted{color:#a3a9b3!important}.e-line{border-color:${dark.line}!important}}`;

/** The HTML of a design, for every mail client: tables and inline styles, with Liquid as it was written. */
export function designToHtml({ brand, doc }: EmailDesign): string {
  const theme = themeOf(brand);
  const { background, surface } = brand.colors;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<style>
${styles(theme)}
</style>
</head>
<body class="e-page" style="margin:0;padding:0;background:${background}">
<table role="presentation" class="e-page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${background}"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:${width}px">
${logo(brand)}
<tr><td class="e-surface" style="padding:36px 32px 20px;background:${surface};border-radius:10px">
${blocks(doc.content, theme)}
</td></tr>
<tr><td style="padding:24px 20px">
${footer(theme)}
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}
