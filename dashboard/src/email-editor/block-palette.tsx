import { Anchor, Text, UnstyledButton } from '@mantine/core';
import type { Editor } from '@tiptap/core';
import { useId } from 'react';
import { blocks, dragBlock, insertBlock } from './blocks.ts';
import classes from './editor-frame.module.css';

/** What the email can contain, to drag into it or to insert at the cursor. */
export function BlockPalette({ editor }: { editor: Editor }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes.palette}>
      <Text size="xs" fw={600} c="dimmed" id={id}>
        Add a block
      </Text>
      <ul className={classes.tiles}>
        {blocks.map((block) => (
          <li key={block.name}>
            <UnstyledButton
              className={classes.tile}
              disabled={!editor.isEditable}
              draggable={editor.isEditable}
              onDragStart={({ dataTransfer }) => dragBlock(editor, block, dataTransfer)}
              onDragEnd={() => {
                editor.view.dragging = null;
              }}
              onClick={() => insertBlock(editor, block)}
            >
              {/* As large as the button: Firefox drags buttons by their content only. */}
              <span className={classes.tileContent}>
                <block.icon size={16} stroke={1.6} aria-hidden />
                {block.name}
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      <Anchor size="xs" href="/settings/brand" target="_blank" className={classes.brandLink}>
        Edit brand (opens a new tab)
      </Anchor>
    </section>
  );
}
