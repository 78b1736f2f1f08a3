import {
  IconBrandYoutube,
  IconColumns2,
  IconColumns3,
  IconH1,
  IconH2,
  IconH3,
  IconLetterT,
  IconLineDashed,
  IconList,
  IconListNumbers,
  IconPhoto,
  IconQuote,
  IconSection,
  IconShoppingBag,
  IconSpacingVertical,
  IconSquareRoundedArrowRight,
  IconUsersGroup,
} from '@tabler/icons-react';
import type { Editor, JSONContent, Range } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import { Fragment, type NodeType, Slice } from '@tiptap/pm/model';
import { type EditorState, NodeSelection, TextSelection, type Transaction } from '@tiptap/pm/state';
import { dropPoint } from '@tiptap/pm/transform';
import type { ComponentType } from 'react';

type Block = {
  name: string;
  /** Further words that find it. */
  words: string;
  icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  content: JSONContent;
};

const paragraph: JSONContent = { type: 'paragraph' };
const column: JSONContent = { type: 'column', content: [paragraph] };

/** What can be inserted, in the order of the menus. */
export const blocks: readonly Block[] = [
  { name: 'Text', words: 'paragraph', icon: IconLetterT, content: paragraph },
  { name: 'Heading 1', words: 'title large', icon: IconH1, content: { type: 'heading', attrs: { level: 1 } } },
  { name: 'Heading 2', words: 'title', icon: IconH2, content: { type: 'heading', attrs: { level: 2 } } },
  { name: 'Heading 3', words: 'title small', icon: IconH3, content: { type: 'heading', attrs: { level: 3 } } },
  { name: 'Image', words: 'picture photo upload', icon: IconPhoto, content: { type: 'image' } },
  {
    name: 'Button',
    words: 'link call to action',
    icon: IconSquareRoundedArrowRight,
    content: { type: 'button', attrs: { label: 'Read more' } },
  },
  { name: 'Product', words: 'item price shop', icon: IconShoppingBag, content: { type: 'product' } },
  { name: 'Video', words: 'youtube vimeo film', icon: IconBrandYoutube, content: { type: 'video' } },
  { name: 'Section', words: 'background color band', icon: IconSection, content: { type: 'section', content: [paragraph] } },
  {
    name: 'Bulleted list',
    words: 'points',
    icon: IconList,
    content: { type: 'bulletList', content: [{ type: 'listItem', content: [paragraph] }] },
  },
  {
    name: 'Numbered list',
    words: 'ordered steps',
    icon: IconListNumbers,
    content: { type: 'orderedList', content: [{ type: 'listItem', content: [paragraph] }] },
  },
  { name: '2 columns', words: 'layout side', icon: IconColumns2, content: { type: 'columns', content: [column, column] } },
  { name: '3 columns', words: 'layout side', icon: IconColumns3, content: { type: 'columns', content: [column, column, column] } },
  { name: 'Spacer', words: 'space gap height', icon: IconSpacingVertical, content: { type: 'spacer' } },
  { name: 'Divider', words: 'line rule', icon: IconLineDashed, content: { type: 'horizontalRule' } },
  { name: 'Quote', words: 'citation', icon: IconQuote, content: { type: 'blockquote', content: [paragraph] } },
  { name: 'Social links', words: 'linkedin instagram facebook', icon: IconUsersGroup, content: { type: 'social' } },
];

export type EmailBlock = Block;

export function matching(query: string): readonly Block[] {
  const wanted = query.trim().toLowerCase();
  return blocks.filter(({ name, words }) => `${name} ${words}`.toLowerCase().includes(wanted));
}

/** Where content is inserted: at the cursor, or after the block that is chosen. */
export const insertionOf = ({ selection }: EditorState) =>
  selection instanceof NodeSelection && selection.node.isBlock ? selection.to : { from: selection.from, to: selection.to };

/** Moves the cursor from the last column, where the insertion leaves it, to the first. */
function toFirstColumn(tr: Transaction): boolean {
  const { $from } = tr.selection;
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    if ($from.node(depth).type.name !== 'columns') continue;
    tr.setSelection(TextSelection.near(tr.doc.resolve($from.start(depth) + 1)));
    break;
  }
  return true;
}

/** Where a block of this type goes: in place of an empty line, or beside the innermost block that can have it as a neighbor. */
function placeOf({ selection }: Transaction, type: NodeType): number | Range {
  const { $from } = selection;
  let depth = $from.depth;
  while (depth > 0 && !$from.node(depth).canReplaceWith($from.index(depth), $from.index(depth), type)) depth -= 1;
  if (depth === $from.depth) return selection.to;
  const place = { from: $from.before(depth + 1), to: $from.after(depth + 1) };
  if (depth + 1 < $from.depth) return place.to;
  if ($from.parent.content.size === 0) return place;
  return $from.parentOffset === 0 ? place.from : place.to;
}

/** Inserts a block at the cursor, in place of `range`. */
export function insertBlock(editor: Editor, { content }: Pick<Block, 'content'>, range?: Range) {
  const chain = editor.chain().focus();
  if (range) chain.deleteRange(range);
  chain
    .command(({ tr, commands }) => {
      closeHistory(tr);
      const { parent } = tr.selection.$from;
      const isEmpty = parent.isTextblock && parent.content.size === 0;
      if (isEmpty && (content.type === 'heading' || content.type === 'paragraph'))
        return commands.setNode(content.type, content.attrs ?? {});
      const { type } = editor.schema.nodeFromJSON(content);
      return commands.insertContentAt(placeOf(tr, type), content) && (type.name !== 'columns' || toFirstColumn(tr));
    })
    .run();
}

/** What a drag carries of a block. */
const dragged = 'application/x-email-block';

/** Begins to drag a block into the email, which shows where it would land. */
export function dragBlock(editor: Editor, { name, content }: Block, carried: DataTransfer) {
  carried.setData(dragged, name);
  carried.effectAllowed = 'copy';
  editor.view.dragging = { slice: new Slice(Fragment.from(editor.schema.nodeFromJSON(content)), 0, 0), move: false };
}

/** Inserts the block that was dropped; false if it was something else. */
export function dropBlock(editor: Editor, carried: DataTransfer | null, at: number | undefined): boolean {
  const name = carried?.getData(dragged);
  const block = blocks.find((one) => one.name === name);
  const slice = editor.view.dragging?.slice;
  if (!block || !slice || at === undefined) return false;
  const place = dropPoint(editor.state.doc, at, slice);
  editor
    .chain()
    .focus()
    .command(({ tr, commands }) => {
      closeHistory(tr);
      return place !== null && commands.insertContentAt(place, block.content);
    })
    .run();
  return true;
}

const holders = ['doc', 'section', 'column'];

/** The block of the cursor, in the email, a section or a column. */
export function blockOf({ state: { selection } }: Editor) {
  const { $from } = selection;
  let depth = $from.depth;
  while (depth > 0 && !holders.includes($from.node(depth).type.name)) depth -= 1;
  const [holder, index] = [$from.node(depth), $from.index(depth)];
  const node = holder.maybeChild(index);
  if (!node) return undefined;
  const start = $from.posAtIndex(index, depth);
  /** The sections and columns around it, from the outside. */
  const around = Array.from({ length: depth }, (_, above) => ({ node: $from.node(above + 1), start: $from.before(above + 1) }));
  return { holder, index, node, start, end: start + node.nodeSize, around: around.filter((one) => one.node.type.name !== 'column') };
}

/** Moves the block of the cursor by one. */
export function moveBlock(editor: Editor, by: -1 | 1): boolean {
  const moved = blockOf(editor);
  const other = moved?.holder.maybeChild(moved.index + by);
  if (!moved || !other) return false;
  const { node, start, end } = moved;
  const target = by < 0 ? start - other.nodeSize : start + other.nodeSize;
  const { selection } = editor.state;
  const at = target + selection.from - start;
  return editor
    .chain()
    .command(({ tr }) => {
      // Undone by itself, not together with what was typed just before.
      closeHistory(tr.delete(start, end).insert(target, node));
      tr.setSelection(selection instanceof NodeSelection ? NodeSelection.create(tr.doc, at) : TextSelection.create(tr.doc, at));
      return true;
    })
    .focus()
    .run();
}

export function duplicateBlock(editor: Editor) {
  const block = blockOf(editor);
  if (block) editor.chain().insertContentAt(block.end, block.node.toJSON()).focus().run();
}

export function deleteBlock(editor: Editor) {
  const block = blockOf(editor);
  if (block) editor.chain().deleteRange({ from: block.start, to: block.end }).focus().run();
}
