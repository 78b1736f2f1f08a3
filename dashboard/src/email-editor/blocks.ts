import {
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
  IconSquareRoundedArrowRight,
  IconUsersGroup,
} from '@tabler/icons-react';
import type { Editor, JSONContent, Range } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import { type EditorState, NodeSelection, TextSelection, type Transaction } from '@tiptap/pm/state';
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

/** Inserts a block at the cursor, in place of `range`; columns after the block of the cursor, because they cannot be inside others. */
export function insertBlock(editor: Editor, { content }: Pick<Block, 'content'>, range?: Range) {
  const chain = editor.chain().focus();
  if (range) chain.deleteRange(range);
  chain
    .command(({ tr, state, commands }) => {
      const { $from } = tr.selection;
      if (content.type === 'columns') {
        const top = $from.depth > 1 ? $from.after(1) : undefined;
        return commands.insertContentAt(top ?? insertionOf(state), content) && toFirstColumn(tr);
      }
      const isEmpty = $from.parent.isTextblock && $from.parent.content.size === 0;
      if (isEmpty && (content.type === 'heading' || content.type === 'paragraph'))
        return commands.setNode(content.type, content.attrs ?? {});
      return commands.insertContentAt(insertionOf(state), content);
    })
    .run();
}

/** The block of the document that contains the cursor. */
export function topBlock({ state: { doc, selection } }: Editor) {
  const index = selection.$from.index(0);
  const node = doc.maybeChild(index);
  if (!node) return undefined;
  let start = 0;
  for (let before = 0; before < index; before += 1) start += doc.child(before).nodeSize;
  return { index, node, start, end: start + node.nodeSize };
}

/** Moves the block of the cursor by one. */
export function moveBlock(editor: Editor, by: -1 | 1): boolean {
  const { doc } = editor.state;
  const moved = topBlock(editor);
  const other = moved && doc.maybeChild(moved.index + by);
  if (!moved || !other) return false;
  const { node, start, end } = moved;
  const target = by < 0 ? start - other.nodeSize : start + other.nodeSize;
  const offset = editor.state.selection.from - start;
  return editor
    .chain()
    .command(({ tr }) => {
      // Undone by itself, not together with what was typed just before.
      closeHistory(tr.delete(start, end).insert(target, node));
      return true;
    })
    .setTextSelection(target + offset)
    .focus()
    .run();
}

export function duplicateBlock(editor: Editor) {
  const block = topBlock(editor);
  if (block) editor.chain().insertContentAt(block.end, block.node.toJSON()).focus().run();
}

export function deleteBlock(editor: Editor) {
  const block = topBlock(editor);
  if (block) editor.chain().deleteRange({ from: block.start, to: block.end }).focus().run();
}
