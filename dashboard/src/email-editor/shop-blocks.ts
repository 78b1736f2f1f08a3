import { Node } from '@tiptap/core';
import type { DOMOutputSpec } from '@tiptap/pm/model';
import { textOf } from '../email-design/design.ts';
import { thumbnailOf, webUrl } from '../email-design/web-url.ts';
import { shownSource } from '../email-frame/image-source.ts';
import classes from './canvas.module.css';
import { keptAttributes } from './kept-attributes.ts';
import shop from './shop-blocks.module.css';

/** The picture, or words in its place: pictures of other sites are not loaded here. */
function pictureOf(source: string, alt: string, missing: string): DOMOutputSpec {
  const shown = shownSource(source);
  if (shown !== undefined) return ['img', { src: shown, alt }];
  return ['span', { class: classes.placeholder ?? '' }, source === '' ? missing : alt || source];
}

export const Product = Node.create({
  name: 'product',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => keptAttributes({ src: '', name: '', price: '', description: '', label: 'Buy now', href: '' }),
  parseHTML: () => [{ tag: 'div[data-product]' }],
  renderHTML({ node, HTMLAttributes }) {
    const [name, price, description, label] = ['name', 'price', 'description', 'label'].map((part) => textOf(node, part).trim());
    const words: DOMOutputSpec[] = [
      ['strong', {}, name || 'Product name'],
      ...(price ? [['b', {}, price] satisfies DOMOutputSpec] : []),
      ...(description ? [['span', { class: shop.productText ?? '' }, description] satisfies DOMOutputSpec] : []),
      ...(label ? [['span', { class: classes.button ?? '' }, label] satisfies DOMOutputSpec] : []),
    ];
    return [
      'div',
      { ...HTMLAttributes, 'data-product': '', class: shop.product ?? '' },
      ['div', { class: shop.productPicture ?? '' }, pictureOf(webUrl(textOf(node, 'src')), name ?? '', 'Picture of the product')],
      ['div', { class: shop.productWords ?? '' }, ...words],
    ];
  },
});

export const Video = Node.create({
  name: 'video',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => keptAttributes({ href: '', src: '', alt: '', label: 'Watch the video' }),
  parseHTML: () => [{ tag: 'div[data-video]' }],
  renderHTML({ node, HTMLAttributes }) {
    const source = webUrl(textOf(node, 'src'));
    const missing = thumbnailOf(textOf(node, 'href')) === '' ? 'Picture of the video' : 'YouTube’s picture of the video';
    return [
      'div',
      { ...HTMLAttributes, 'data-video': '', class: shop.video ?? '' },
      pictureOf(source, textOf(node, 'alt'), missing),
      ['span', { class: shop.videoBar ?? '' }, `▶\uFE0E  ${textOf(node, 'label').trim() || 'Watch the video'}`],
    ];
  },
});
