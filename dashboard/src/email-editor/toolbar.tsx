import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBold,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconPhoto,
  IconPlus,
  IconStrikethrough,
  IconUnderline,
} from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import type { ComponentType } from 'react';
import { blocks, insertBlock } from './blocks.ts';
import classes from './editor-frame.module.css';
import { insertField } from './suggestion-menu.tsx';
import { FieldMenu, ToolMenu } from './tool-menu.tsx';

type Icon = ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
type ToolProps = { label: string; icon: Icon; isActive?: boolean; isDisabled?: boolean; onClick: () => void };

const Tool = ({ label, icon: Shown, isActive, isDisabled = false, onClick }: ToolProps) => (
  <Tooltip label={label} openDelay={400}>
    <ActionIcon
      variant={isActive ? 'light' : 'subtle'}
      color={isActive ? 'indigo' : 'gray'}
      size={32}
      aria-label={label}
      {...(isActive !== undefined && { 'aria-pressed': isActive })}
      disabled={isDisabled}
      // The selection stays while a button is pressed.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      <Shown size={18} stroke={1.7} aria-hidden />
    </ActionIcon>
  </Tooltip>
);

/** Bold, italic and so on, in the toolbar and at the selection. */
export function MarkTools({ editor, onLink }: { editor: Editor; onLink: () => void }) {
  const run = () => editor.chain().focus();
  return (
    <>
      <Tool label="Bold" icon={IconBold} isActive={editor.isActive('bold')} onClick={() => run().toggleBold().run()} />
      <Tool label="Italic" icon={IconItalic} isActive={editor.isActive('italic')} onClick={() => run().toggleItalic().run()} />
      <Tool label="Underline" icon={IconUnderline} isActive={editor.isActive('underline')} onClick={() => run().toggleUnderline().run()} />
      <Tool
        label="Strikethrough"
        icon={IconStrikethrough}
        isActive={editor.isActive('strike')}
        onClick={() => run().toggleStrike().run()}
      />
      <Tool label="Link" icon={IconLink} isActive={editor.isActive('link')} onClick={onLink} />
    </>
  );
}

const alignments = [
  { align: 'left', label: 'Align left', icon: IconAlignLeft },
  { align: 'center', label: 'Align center', icon: IconAlignCenter },
  { align: 'right', label: 'Align right', icon: IconAlignRight },
];

/** Aligns the text, or the image or button that is chosen. */
function setAlignment(editor: Editor, align: string) {
  const chain = editor.chain().focus();
  for (const type of ['paragraph', 'heading']) chain.updateAttributes(type, { textAlign: align });
  for (const type of ['image', 'button', 'social']) chain.updateAttributes(type, { align });
  chain.run();
}

const isAligned = (editor: Editor, align: string) => editor.isActive({ textAlign: align }) || editor.isActive({ align });

export function Toolbar({ editor, onImage, onLink }: { editor: Editor; onImage: () => void; onLink: () => void }) {
  const run = () => editor.chain().focus();
  return (
    <div role="toolbar" aria-label="Formatting" className={classes.toolbar}>
      <Tool label="Undo" icon={IconArrowBackUp} isDisabled={!editor.can().undo()} onClick={() => run().undo().run()} />
      <Tool label="Redo" icon={IconArrowForwardUp} isDisabled={!editor.can().redo()} onClick={() => run().redo().run()} />
      <span className={classes.gap} />
      <MarkTools editor={editor} onLink={onLink} />
      <span className={classes.gap} />
      <Tool label="Bulleted list" icon={IconList} isActive={editor.isActive('bulletList')} onClick={() => run().toggleBulletList().run()} />
      <Tool
        label="Numbered list"
        icon={IconListNumbers}
        isActive={editor.isActive('orderedList')}
        onClick={() => run().toggleOrderedList().run()}
      />
      {alignments.map(({ align, label, icon }) => (
        <Tool key={align} label={label} icon={icon} isActive={isAligned(editor, align)} onClick={() => setAlignment(editor, align)} />
      ))}
      <span className={classes.gap} />
      <Tool label="Image" icon={IconPhoto} onClick={onImage} />
      <ToolMenu label="Insert a block" icon={<IconPlus size={18} stroke={1.7} aria-hidden />}>
        {blocks
          .filter(({ name }) => name !== 'Image')
          .map((block) => (
            <Menu.Item
              key={block.name}
              leftSection={<block.icon size={16} stroke={1.6} aria-hidden />}
              onClick={() => insertBlock(editor, block)}
            >
              {block.name}
            </Menu.Item>
          ))}
      </ToolMenu>
      <FieldMenu onPick={(field) => insertField(editor, field)} />
    </div>
  );
}
