import { colorsOn, readableOn } from './colors.ts';
import { shownIf } from './condition.ts';
import { type Brand, type DesignNode, type EmailDesign, heightOf, networkNames, numberOf, socialLinksOf, textOf } from './design.ts';
import { htmlAttribute, htmlText, mergeTag } from './liquid-text.ts';
import { backgroundOf, followsScheme, paddingOf } from './section.ts';
import { thumbnailOf, webUrl } from './web-url.ts';

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

/** The space beside the blocks, in the sheet and in sections. */
const gutter = 32;
const columnGap = 16;

/** What every block is rendered with. */
type Theme = ReturnType<typeof colorsOn> & {
  brand: Brand;
  font: string;
  /** The width that a block has on a computer. */
  width: number;
  /** Whether dark mode leaves its colors as they are. */
  isFixed: boolean;
};

const themeOf = (brand: Brand): Theme => ({
  ...colorsOn(brand.colors.surface, brand.colors),
  ...{ brand, font: `font-family:${fontStacks[brand.font]}`, width: width - 2 * gutter, isFixed: false },
});

/** What dark mode colors. */
const adapts = (name: 'text' | 'link' | 'muted' | 'line', { isFixed }: Theme) => (isFixed ? '' : ` class="e-${name}"`);

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
  link: (inner, { href }, theme) =>
    typeof href === 'string' && href !== ''
      ? `<a href="${htmlAttribute(href)}"${adapts('link', theme)} style="color:${theme.link};text-decoration:underline">${inner}</a>`
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
  const shown = Math.min(numberOf(node, 'width') ?? width - 2 * gutter, width - 2 * gutter);
  const picture = `<img src="${htmlAttribute(source)}" alt="${htmlAttribute(textOf(node, 'alt'))}" width="${shown}" style="display:inline-block;width:${shown}px;max-width:100%;height:auto;border:0;border-radius:6px">`;
  return `<div style="margin:0 0 20px;text-align:${align}">${linked(textOf(node, 'href'), picture)}</div>`;
}

type Button = { label: string; href: string; align: string };

function button({ label, href, align }: Button, { font, button: background, label: color }: Theme): string {
  const anchor = `<a href="${htmlAttribute(href)}" style="display:inline-block;padding:13px 26px;${font};font-size:16px;font-weight:600;line-height:1.25;color:${color};text-decoration:none;border-radius:6px">${htmlText(label)}</a>`;
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" align="${align}" style="margin:4px ${align === 'center' ? 'auto' : '0'} 24px"><tr><td style="border-radius:6px;background:${background}" bgcolor="${background}">${anchor}</td></tr></table><div style="clear:both;line-height:0;font-size:0">&nbsp;</div>`;
}

function columns({ content = [] }: DesignNode, theme: Theme): string {
  const count = Math.max(1, content.length);
  const each = Math.floor(100 / count);
  const narrow = { ...theme, width: Math.floor(theme.width / count) - columnGap };
  const cells = content.map((column, index) => {
    const space = index === content.length - 1 ? 0 : columnGap;
    return `<td class="e-column" width="${each}%" valign="top" style="width:${each}%;padding:0 ${space}px 0 0;vertical-align:top">${blocks(column.content, narrow)}</td>`;
  });
  return `${fullTable}<tr>${cells.join('')}</tr></table>`;
}

const fullTable = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">';

/** A picture of a fixed width, because Outlook knows no other; on phones as wide as its place. */
const picture = (source: string, alt: string, shown: number, radius: string) =>
  `<img class="e-picture" src="${htmlAttribute(source)}" alt="${htmlAttribute(alt)}" width="${shown}" style="display:block;width:${shown}px;max-width:100%;height:auto;border:0;border-radius:${radius}">`;

/** The narrowest place where a picture and words stand side by side. */
const sideBySide = 400;
const productPicture = 220;

function product(node: DesignNode, theme: Theme): string {
  const [name = '', price = '', description = '', label = ''] = ['name', 'price', 'description', 'label'].map((part) =>
    textOf(node, part).trim(),
  );
  const [source, href] = [webUrl(textOf(node, 'src')), webUrl(textOf(node, 'href'))];
  const line = (text: string, kind: 'text' | 'muted', style: string) =>
    text === '' ? '' : `<p${adapts(kind, theme)} style="margin:0 0 10px;${theme.font};${style};color:${theme[kind]}">${htmlText(text)}</p>`;
  const words = [
    line(name, 'text', 'font-size:18px;font-weight:700;line-height:1.35'),
    line(price, 'text', 'font-size:16px;font-weight:600;line-height:1.4'),
    line(description, 'muted', 'font-size:15px;line-height:1.55').replaceAll('\n', '<br>'),
    label === '' ? '' : button({ label, href, align: 'left' }, theme),
  ].join('');
  if (source === '') return words;
  const isWide = theme.width >= sideBySide && words !== '';
  const shown = `<div style="margin:0 0 16px">${linked(href, picture(source, name, isWide ? productPicture : theme.width, '6px'))}</div>`;
  if (!isWide) return shown + words;
  return `${fullTable}<tr><td class="e-column" width="${productPicture + 24}" valign="top" style="width:${productPicture}px;padding:0 24px 0 0;vertical-align:top">${shown}</td><td class="e-column" valign="top" style="vertical-align:top">${words}</td></tr></table>`;
}

/** Mail clients play no videos: a picture and a bar that says what a click does, both links. */
function video(node: DesignNode, theme: Theme): string {
  const href = webUrl(textOf(node, 'href'));
  const source = webUrl(textOf(node, 'src')) || thumbnailOf(href);
  const label = textOf(node, 'label').trim() || 'Watch the video';
  const shown = source === '' ? '' : `<tr><td>${linked(href, picture(source, textOf(node, 'alt'), theme.width, '6px 6px 0 0'))}</td></tr>`;
  const anchor = `<a href="${htmlAttribute(href)}" style="display:block;padding:13px 16px;${theme.font};font-size:15px;font-weight:600;line-height:1.3;color:#ffffff;text-decoration:none">&#9654;&#65038;&nbsp; ${htmlText(label)}</a>`;
  return `${fullTable}${shown}<tr><td align="center" bgcolor="#16181d" style="background:#16181d;border-radius:${source === '' ? '6px' : '0 0 6px 6px'}">${anchor}</td></tr></table>${spacer(20)}`;
}

const spacer = (height: number) =>
  `${fullTable}<tr><td height="${height}" style="height:${height}px;line-height:${height}px;font-size:0">&nbsp;</td></tr></table>`;

function social(node: DesignNode, theme: Theme): string {
  const links = socialLinksOf(node, theme.brand).map(
    ({ network, url }) =>
      `<a href="${htmlAttribute(url)}"${adapts('link', theme)} style="color:${theme.link};text-decoration:underline">${networkNames[network] ?? htmlText(network)}</a>`,
  );
  if (links.length === 0) return '';
  return `<p${adapts('text', theme)} style="margin:0 0 20px;${theme.font};font-size:14px;line-height:1.6;text-align:${alignOf(node, 'center')};color:${theme.text}">${links.join(' &nbsp;·&nbsp; ')}</p>`;
}

const list = (tag: 'ul' | 'ol', { content = [] }: DesignNode, theme: Theme) =>
  `<${tag}${adapts('text', theme)} style="margin:0 0 16px;padding:0 0 0 24px;${theme.font};font-size:16px;line-height:1.6;color:${theme.text}">${content
    .map((item) => `<li style="margin:0 0 6px">${listItem(item, theme)}</li>`)
    .join('')}</${tag}>`;

/** A list item without the space that paragraphs have. */
const listItem = ({ content = [] }: DesignNode, theme: Theme) =>
  content.map((node) => (node.type === 'paragraph' ? inline(node.content, theme) : block(node, theme))).join('');

function block(node: DesignNode, theme: Theme): string {
  const { text } = theme;
  switch (node.type) {
    case 'paragraph':
      return `<p${adapts('text', theme)} style="margin:0 0 16px;${theme.font};font-size:16px;line-height:1.6;text-align:${alignOf(node)};color:${text}">${inline(node.content, theme) || '&nbsp;'}</p>`;
    case 'heading': {
      const level = Math.min(Math.max(numberOf(node, 'level') ?? 2, 1), headings.length);
      const { size, height } = headings[level - 1] ?? { size: 22, height: 1.3 };
      return `<h${level}${adapts('text', theme)} style="margin:0 0 14px;${theme.font};font-size:${size}px;font-weight:700;line-height:${height};text-align:${alignOf(node)};color:${text}">${inline(node.content, theme)}</h${level}>`;
    }
    case 'bulletList':
      return list('ul', node, theme);
    case 'orderedList':
      return list('ol', node, theme);
    case 'blockquote':
      return `<blockquote${adapts('line', theme)} style="margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid ${theme.line}">${blocks(node.content, theme)}</blockquote>`;
    case 'horizontalRule':
      return `<hr${adapts('line', theme)} style="margin:8px 0 24px;border:0;border-top:1px solid ${theme.line}">`;
    case 'image':
      return image(node);
    case 'button':
      return button({ label: textOf(node, 'label'), href: textOf(node, 'href'), align: alignOf(node) }, theme);
    case 'columns':
      return columns(node, theme);
    case 'product':
      return product(node, theme);
    case 'video':
      return video(node, theme);
    case 'spacer':
      return spacer(heightOf(node));
    case 'social':
      return social(node, theme);
    default:
      return blocks(node.content, theme);
  }
}

const blocks = (nodes: readonly DesignNode[] = [], theme: Theme): string =>
  nodes.map((node) => shownIf(node, block(node, theme))).join('\n');

/** Rows of the sheet, from edge to edge: each section is one, and what stands between two sections. */
function rows(nodes: readonly DesignNode[] = [], theme: Theme): string {
  const groups: DesignNode[][] = [];
  for (const node of nodes) {
    const last = groups.at(-1);
    if (!last || node.type === 'section' || last[0]?.type === 'section') groups.push([node]);
    else last.push(node);
  }
  return groups
    .map((group, index) => {
      const [first] = group;
      if (first?.type === 'section') return shownIf(first, section(first, theme));
      return `<tr><td class="e-row" style="padding:${index === 0 ? 36 : 28}px ${gutter}px 20px">${blocks(group, theme)}</td></tr>`;
    })
    .join('\n');
}

/** The last block brings a part of the space below. */
const blockSpace = 16;

function section(node: DesignNode, theme: Theme): string {
  const { colors } = theme.brand;
  const background = backgroundOf(node, colors);
  const space = paddingOf(node);
  const isFixed = !followsScheme(node);
  const inner = { ...theme, ...colorsOn(background, colors), isFixed };
  return `<tr><td class="e-row${isFixed ? '' : ' e-page'}" bgcolor="${background}" style="padding:${space}px ${gutter}px ${space - blockSpace}px;background:${background}">${blocks(node.content, inner)}</td></tr>`;
}

/** The URL that leads to the page behind the unsubscribe link. */
const unsubscribe = '{{ unsubscribe_url }}';

function logo({ logo_url, logo_width, website_url, company_name }: Brand): string {
  if (!logo_url) return '';
  const picture = `<img src="${htmlAttribute(logo_url)}" alt="${htmlAttribute(company_name ?? 'Logo')}" width="${logo_width}" style="width:${logo_width}px;max-width:100%;height:auto;border:0">`;
  return `<tr><td align="center" style="padding:0 0 24px">${linked(website_url ?? '', picture)}</td></tr>`;
}

function footer({ brand, font }: Theme): string {
  const { muted } = colorsOn(brand.colors.background, brand.colors);
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
@media (max-width:480px){.e-column{display:block!important;width:100%!important;padding:0!important}.e-picture{width:100%!important}.e-row{padding-left:20px!important;padding-right:20px!important}}
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
<tr><td class="e-surface" style="background:${surface};border-radius:10px;overflow:hidden">
${fullTable}
${rows(doc.content, theme)}
</table>
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
