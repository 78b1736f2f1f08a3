import { Extension, InputRule, Node, PasteRule, type Range } from '@tiptap/core';
import type { NodeType } from '@tiptap/pm/model';
import { type EditorState, Plugin, PluginKey } from '@tiptap/pm/state';
import { Decoration, DecorationSet } from '@tiptap/pm/view';
import { StarterKit } from '@tiptap/starter-kit';
import { Suggestion } from '@tiptap/suggestion';
import { conditionLabel, conditionOf } from '../email-design/condition.ts';
import { type Brand, networkNames, type SocialLink, socialLinksOf } from '../email-design/design.ts';
import { mergeTag, partsOfTag, pastedTags, typedTag } from '../email-design/liquid-text.ts';
import { labelOf } from '../email-design/merge-fields.ts';
import { shownSource } from '../email-frame/image-source.ts';
import classes from './canvas.module.css';
import { keptAttributes } from './kept-attributes.ts';
import { Column, Columns, Email, Section, Spacer } from './layout-blocks.ts';
import { Product, Video } from './shop-blocks.ts';

/** An open menu at the cursor: blocks after `/`, fields after `{{`. */
export type OpenMenu = { kind: 'blocks' | 'fields'; query: string; range: Range; rect: DOMRect };

/** What the menus of the editor do; set by the component that shows them. */
export type MenuHandlers = {
  onMenu: (menu: OpenMenu | undefined) => void;
  /** Whether the menu has used the key. */
  onKey: (event: KeyboardEvent) => boolean;
};

const text = (value: unknown) => (typeof value === 'string' ? value : '');

const Picture = Node.create({
  name: 'image',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({
    src: { default: '' },
    alt: { default: '' },
    width: { default: null },
    align: { default: 'center' },
    href: { default: '' },
  }),
  parseHTML: () => [
    {
      tag: 'img[src^="http"]',
      getAttrs: (image) => ({
        src: image.getAttribute('data-source') ?? image.getAttribute('src'),
        alt: image.getAttribute('alt') ?? '',
      }),
    },
  ],
  renderHTML({ node: { attrs } }) {
    const source = text(attrs.src);
    const shown = shownSource(source);
    const width = typeof attrs.width === 'number' ? { width: String(attrs.width) } : {};
    const frame = { class: classes.picture ?? '', 'data-align': text(attrs.align) };
    if (shown === undefined) return ['div', frame, ['span', { class: classes.placeholder ?? '' }, text(attrs.alt) || source || 'Image']];
    return ['div', frame, ['img', { src: shown, 'data-source': source, alt: text(attrs.alt), ...width }]];
  },
});

const ButtonBlock = Node.create({
  name: 'button',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => keptAttributes({ label: 'Button', href: '', align: 'left' }),
  parseHTML: () => [{ tag: 'div[data-button]' }],
  renderHTML: ({ node: { attrs }, HTMLAttributes }) => [
    'div',
    { ...HTMLAttributes, class: classes.buttonRow ?? '', 'data-button': '' },
    ['span', { class: classes.button ?? '' }, text(attrs.label) || 'Button'],
  ],
});

const Social = Node.create<{ brand: Brand | undefined }>({
  name: 'social',
  group: 'block',
  atom: true,
  draggable: true,
  addOptions: () => ({ brand: undefined }),
  addAttributes: () => ({ links: { default: null, rendered: false }, align: { default: 'center' } }),
  parseHTML: () => [{ tag: 'div[data-social]' }],
  renderHTML({ node }) {
    const { brand } = this.options;
    const links: SocialLink[] = brand ? socialLinksOf({ type: 'social', attrs: node.attrs }, brand) : [];
    const names = links.map(({ network }) => networkNames[network] ?? network).join('  ·  ');
    const words = names === '' ? 'Social links: add them here, or in Settings → Brand' : names;
    return ['div', { 'data-social': '', class: classes.social ?? '', 'data-align': text(node.attrs.align) }, words];
  },
});

type FoundTag = { state: EditorState; range: Range; match: readonly string[] };

function toChip(type: NodeType, { state, range, match }: FoundTag) {
  state.tr.replaceWith(range.from, range.to, type.create(partsOfTag(match)));
}

const MergeTag = Node.create({
  name: 'mergeTag',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ field: { default: '' }, fallback: { default: '' } }),
  parseHTML: () => [
    {
      tag: 'span[data-merge-tag]',
      getAttrs: (chip) => ({ field: chip.getAttribute('data-merge-tag'), fallback: chip.getAttribute('data-fallback') ?? '' }),
    },
  ],
  renderHTML: ({ node: { attrs } }) => [
    'span',
    { 'data-merge-tag': text(attrs.field), 'data-fallback': text(attrs.fallback), class: classes.chip ?? '' },
    text(attrs.fallback) === '' ? labelOf(text(attrs.field)) : `${labelOf(text(attrs.field))} | ${text(attrs.fallback)}`,
  ],
  renderText: ({ node: { attrs } }) => mergeTag(text(attrs.field), text(attrs.fallback)),
  addInputRules() {
    return [new InputRule({ find: typedTag, handler: (found) => toChip(this.type, found) })];
  },
  addPasteRules() {
    return [new PasteRule({ find: pastedTags, handler: (found) => toChip(this.type, found) })];
  },
});

const Alignment = Extension.create({
  name: 'alignment',
  addGlobalAttributes: () => [
    {
      types: ['paragraph', 'heading'],
      attributes: {
        textAlign: {
          default: 'left',
          parseHTML: (element) => element.getAttribute('data-align') ?? 'left',
          renderHTML: ({ textAlign }) => (textAlign === 'left' ? {} : { 'data-align': text(textAlign) }),
        },
      },
    },
  ],
});

const conditionalTypes = [
  ...['paragraph', 'heading', 'bulletList', 'orderedList', 'blockquote', 'horizontalRule'],
  ...['image', 'button', 'columns', 'social', 'section', 'spacer', 'product', 'video'],
];

/** Blocks that only some contacts see. The canvas names the condition above the block. */
const Conditions = Extension.create({
  name: 'conditions',
  addGlobalAttributes: () => [{ types: conditionalTypes, attributes: { condition: { default: null, rendered: false } } }],
  addProseMirrorPlugins: () => [
    new Plugin({
      props: {
        decorations: ({ doc }) => {
          const marked: Decoration[] = [];
          doc.descendants((node, offset) => {
            const condition = conditionOf(node);
            if (!condition) return;
            const attributes = { class: classes.conditional ?? '', 'data-condition': conditionLabel(condition, labelOf(condition.field)) };
            marked.push(Decoration.node(offset, offset + node.nodeSize, attributes));
          });
          return DecorationSet.create(doc, marked);
        },
      },
    }),
  ],
});

/** The menus that open while typing. */
const menus = ({ onMenu, onKey }: MenuHandlers) =>
  Extension.create({
    name: 'menus',
    addProseMirrorPlugins() {
      const open = (kind: OpenMenu['kind'], char: string) =>
        Suggestion({
          editor: this.editor,
          pluginKey: new PluginKey(kind),
          char,
          ...(kind === 'fields' && { allowedPrefixes: null }),
          // A slash opens the menu only at the beginning of a line or after a space.
          allow: ({ state }) => state.selection.$from.parent.isTextblock,
          items: () => [],
          render: () => {
            const show = ({ query, range, clientRect }: { query: string; range: Range; clientRect?: (() => DOMRect | null) | null }) => {
              const rect = clientRect?.();
              if (rect) onMenu({ kind, query, range, rect });
            };
            return { onStart: show, onUpdate: show, onExit: () => onMenu(undefined), onKeyDown: ({ event }) => onKey(event) };
          },
        });
      return [open('blocks', '/'), open('fields', '{{')];
    },
  });

/** What an email can contain. */
export const extensionsOf = (brand: Brand, handlers: MenuHandlers) => [
  StarterKit.configure({
    document: false,
    code: false,
    codeBlock: false,
    // It would change an email that is only viewed.
    trailingNode: false,
    dropcursor: { color: 'var(--accent)', width: 3 },
    heading: { levels: [1, 2, 3] },
    link: { openOnClick: false, autolink: true, defaultProtocol: 'https', protocols: ['http', 'https', 'mailto', 'tel'] },
  }),
  ...[Email, Section.configure({ brand }), Columns, Column, Spacer, Picture, ButtonBlock, Product, Video],
  ...[Social.configure({ brand }), MergeTag, Alignment, Conditions, menus(handlers)],
];
