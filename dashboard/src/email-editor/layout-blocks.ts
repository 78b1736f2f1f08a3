import { Node } from '@tiptap/core';
import { type Brand, heightOf, spacerHeights } from '../email-design/design.ts';
import { backgroundOf, paddingOf } from '../email-design/section.ts';
import classes from './canvas.module.css';
import { variablesOn } from './canvas-colors.ts';
import { keptAttributes } from './kept-attributes.ts';

/** What may be where: sections in the email only, columns in the email and in sections, every other block anywhere. */
const content = { email: '(block | columns | section)+', section: '(block | columns)+', columns: 'column{2,3}', column: 'block+' };

export const Email = Node.create({ name: 'doc', topNode: true, content: content.email });

export const Section = Node.create<{ brand: Brand | undefined }>({
  name: 'section',
  content: content.section,
  isolating: true,
  addOptions: () => ({ brand: undefined }),
  addAttributes: () => keptAttributes({ background: 'tint', padding: 'medium' }),
  parseHTML: () => [{ tag: 'div[data-section]' }],
  renderHTML({ node, HTMLAttributes }) {
    const colors = this.options.brand?.colors;
    const variables = { ...(colors && variablesOn(backgroundOf(node, colors), colors)), '--section-padding': `${paddingOf(node)}px` };
    const style = Object.entries(variables).map(([name, value]) => `${name}:${value}`);
    return ['div', { ...HTMLAttributes, 'data-section': '', class: classes.section ?? '', style: style.join(';') }, 0];
  },
});

export const Column = Node.create({
  name: 'column',
  content: content.column,
  isolating: true,
  parseHTML: () => [{ tag: 'div[data-column]' }],
  renderHTML: () => ['div', { 'data-column': '', class: classes.column ?? '' }, 0],
});

export const Columns = Node.create({
  name: 'columns',
  content: content.columns,
  isolating: true,
  parseHTML: () => [{ tag: 'div[data-columns]' }],
  renderHTML: () => ['div', { 'data-columns': '', class: classes.columns ?? '' }, 0],
});

export const Spacer = Node.create({
  name: 'spacer',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => keptAttributes({ height: spacerHeights.usual }),
  parseHTML: () => [{ tag: 'div[data-spacer]' }],
  renderHTML: ({ node, HTMLAttributes }) => [
    'div',
    { ...HTMLAttributes, 'data-spacer': '', class: classes.spacer ?? '', style: `height:${heightOf(node)}px` },
  ],
});
