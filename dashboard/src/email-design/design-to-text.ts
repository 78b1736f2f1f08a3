import { shownIf } from './condition.ts';
import { type Brand, type DesignNode, type EmailDesign, networkNames, socialLinksOf, textOf } from './design.ts';
import { mergeTag } from './liquid-text.ts';
import { webUrl } from './web-url.ts';

function inline(nodes: readonly DesignNode[] = []): string {
  return nodes
    .map((node) => {
      if (node.type === 'hardBreak') return '\n';
      const text = node.type === 'mergeTag' ? mergeTag(textOf(node, 'field'), textOf(node, 'fallback')) : (node.text ?? '');
      const href = node.marks?.find(({ type }) => type === 'link')?.attrs?.href;
      return typeof href === 'string' && href !== '' && href !== text ? `${text} (${href})` : text;
    })
    .join('');
}

const items = ({ content = [] }: DesignNode, brand: Brand, sign: (index: number) => string) =>
  content.map((item, index) => `${sign(index)} ${blocks(item.content, brand).replaceAll('\n', '\n  ')}`).join('\n');

function block(node: DesignNode, brand: Brand): string {
  switch (node.type) {
    case 'paragraph':
    case 'heading':
      return inline(node.content);
    case 'bulletList':
      return items(node, brand, () => '-');
    case 'orderedList':
      return items(node, brand, (index) => `${index + 1}.`);
    case 'blockquote':
      return blocks(node.content, brand).replace(/^/gm, '> ');
    case 'horizontalRule':
      return '---';
    case 'image':
      return [textOf(node, 'alt'), textOf(node, 'href')].filter((part) => part !== '').join(': ');
    case 'button':
      return `${textOf(node, 'label')}: ${textOf(node, 'href')}`;
    case 'product': {
      const label = textOf(node, 'label');
      const link = label === '' ? webUrl(textOf(node, 'href')) : `${label}: ${webUrl(textOf(node, 'href'))}`;
      return [...['name', 'price', 'description'].map((part) => textOf(node, part)), link].filter((part) => part.trim() !== '').join('\n');
    }
    case 'video':
      return `${textOf(node, 'label') || textOf(node, 'alt') || 'Video'}: ${webUrl(textOf(node, 'href'))}`;
    case 'social':
      return socialLinksOf(node, brand)
        .map(({ network, url }) => `${networkNames[network] ?? network}: ${url}`)
        .join('\n');
    default:
      return blocks(node.content, brand);
  }
}

const blocks = (nodes: readonly DesignNode[] = [], brand: Brand): string =>
  nodes
    .map((node) => ({ node, text: block(node, brand) }))
    .filter(({ text }) => text.trim() !== '')
    .map(({ node, text }) => shownIf(node, text))
    .join('\n\n');

/** The plain text of a design, for mail clients without HTML. */
export function designToText({ brand, doc }: EmailDesign): string {
  const footer = [brand.company_name, brand.postal_address, brand.footer_text, 'Unsubscribe: {{ unsubscribe_url }}'];
  return `${blocks(doc.content, brand)}\n\n-- \n${footer.filter((line) => line !== null && line !== '').join('\n')}\n`;
}
