import { Paper } from '@mantine/core';
import type { Editor } from '@tiptap/core';
import classes from './editor-frame.module.css';
import { MarkTools } from './toolbar.tsx';

/** Formatting at the selected text. */
export function BubbleMenu({ editor, onLink }: { editor: Editor; onLink: () => void }) {
  const { selection } = editor.state;
  if (selection.empty || !editor.isFocused || !selection.$from.parent.isTextblock || !editor.isEditable) return null;
  const from = editor.view.coordsAtPos(selection.from);
  const top = from.top > 60 ? from.top - 48 : from.bottom + 28;
  return (
    <Paper
      withBorder
      shadow="md"
      p={4}
      role="toolbar"
      aria-label="Format the selection"
      className={classes.floating}
      style={{ top, left: Math.max(8, Math.min(from.left, window.innerWidth - 196)), display: 'flex', gap: 2 }}
    >
      <MarkTools editor={editor} onLink={onLink} />
    </Paper>
  );
}
