import { ActionIcon, Button, Group, NumberInput, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import { NodeSelection } from '@tiptap/pm/state';
import { type KeyboardEvent, useId } from 'react';
import { type Brand, socialLinksOf } from '../email-design/design.ts';
import { labelOf } from '../email-design/merge-fields.ts';
import { SocialLinksFields } from '../email-design/social-links-fields.tsx';
import { blockOf, deleteBlock, duplicateBlock, moveBlock } from './blocks.ts';
import { ConditionFields } from './condition-fields.tsx';
import classes from './editor-frame.module.css';
import type { Attributes, FieldsProps } from './field-props.ts';
import { ownerOf } from './fields.ts';
import { SectionFields, SpacerFields } from './section-fields.tsx';
import { ProductFields, VideoFields } from './shop-fields.tsx';

const text = (value: unknown) => (typeof value === 'string' ? value : '');

const Align = ({ attrs, set }: FieldsProps) => {
  const id = useId();
  return (
    <div>
      <Text size="sm" fw={500} id={id}>
        Alignment
      </Text>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-labelledby={id}
        data={['left', 'center', 'right'].map((value) => ({ value, label: value[0]?.toUpperCase() + value.slice(1) }))}
        value={text(attrs.align)}
        onChange={(align) => set({ align })}
      />
    </div>
  );
};

const ImageFields = ({ attrs, set, onImage }: FieldsProps & { onImage: () => void }) => (
  <>
    <Button variant="default" size="xs" onClick={onImage}>
      {text(attrs.src) === '' ? 'Choose an image' : 'Replace'}
    </Button>
    <TextInput
      label="Alternative text"
      description="What the image shows, for people who can't see it."
      value={text(attrs.alt)}
      onChange={(event) => set({ alt: event.currentTarget.value })}
    />
    <NumberInput
      label="Width (pixels)"
      placeholder="Full width"
      min={16}
      max={600}
      allowDecimal={false}
      value={typeof attrs.width === 'number' ? attrs.width : ''}
      onChange={(width) => set({ width: typeof width === 'number' ? width : null })}
    />
    <TextInput
      label="Links to"
      placeholder="https://example.com/"
      value={text(attrs.href)}
      onChange={(event) => set({ href: event.currentTarget.value })}
    />
    <Align attrs={attrs} set={set} />
  </>
);

const ButtonFields = ({ attrs, set }: FieldsProps) => (
  <>
    <TextInput label="Label" value={text(attrs.label)} onChange={(event) => set({ label: event.currentTarget.value })} />
    <TextInput
      label="Links to"
      placeholder="https://example.com/"
      value={text(attrs.href)}
      error={text(attrs.href) === '' ? 'Enter the URL that the button opens.' : undefined}
      onChange={(event) => set({ href: event.currentTarget.value })}
    />
    <Align attrs={attrs} set={set} />
  </>
);

const MergeTagFields = ({ attrs, set }: FieldsProps) => (
  <>
    <Text size="sm">
      <strong>{labelOf(text(attrs.field))}</strong> of each {ownerOf(text(attrs.field))}
    </Text>
    <TextInput
      label="Fallback"
      description={`Shown for ${ownerOf(text(attrs.field))}s without a value.`}
      value={text(attrs.fallback)}
      onChange={(event) => set({ fallback: event.currentTarget.value })}
    />
  </>
);

const blockNames: Record<string, string> = {
  image: 'Image',
  button: 'Button',
  mergeTag: 'Field',
  social: 'Social links',
  horizontalRule: 'Divider',
  heading: 'Heading',
  bulletList: 'Bulleted list',
  orderedList: 'Numbered list',
  blockquote: 'Quote',
  columns: 'Columns',
  section: 'Section',
  spacer: 'Spacer',
  product: 'Product',
  video: 'Video',
  paragraph: 'Text',
};

/** What has a form of its own, instead of text to type. */
const formTypes = ['image', 'button', 'mergeTag', 'social', 'spacer', 'product', 'video'];

/** The block or the field that is chosen. */
function chosen(editor: Editor): { type: string; attrs: Attributes } {
  const { selection } = editor.state;
  const { parent } = selection.$from;
  const text = parent.type.name === 'heading' ? parent : blockOf(editor)?.node;
  const node = selection instanceof NodeSelection ? selection.node : text;
  return { type: node?.type.name ?? 'paragraph', attrs: node?.attrs ?? {} };
}

/** Changes what is chosen in the email. */
export function Inspector({ editor, brand, onImage }: { editor: Editor; brand: Brand; onImage: () => void }) {
  const { type, attrs } = chosen(editor);
  const setOf = (of: string) => (change: Attributes) => editor.commands.updateAttributes(of, change);
  const set = setOf(type);
  const around = blockOf(editor)?.around ?? [];
  // Enter in a field of the inspector must not save the form around it.
  const keepEnter = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
  };
  return (
    <section aria-label="Selected block" className={classes.inspector} onKeyDown={keepEnter}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Title order={3} size="h6">
            {blockNames[type] ?? 'Text'}
          </Title>
          <Group gap={0} wrap="nowrap">
            <Action label="Move up" icon={IconArrowUp} onClick={() => moveBlock(editor, -1)} />
            <Action label="Move down" icon={IconArrowDown} onClick={() => moveBlock(editor, 1)} />
            <Action label="Duplicate" icon={IconCopy} onClick={() => duplicateBlock(editor)} />
            <Action label="Delete" icon={IconTrash} onClick={() => deleteBlock(editor)} />
          </Group>
        </Group>
        {type === 'image' && <ImageFields attrs={attrs} set={set} onImage={onImage} />}
        {type === 'button' && <ButtonFields attrs={attrs} set={set} />}
        {type === 'mergeTag' && <MergeTagFields attrs={attrs} set={set} />}
        {type === 'product' && <ProductFields attrs={attrs} set={set} onImage={onImage} />}
        {type === 'video' && <VideoFields attrs={attrs} set={set} onImage={onImage} />}
        {type === 'spacer' && <SpacerFields attrs={attrs} set={set} />}
        {type === 'section' && <SectionFields attrs={attrs} set={set} colors={brand.colors} />}
        {type === 'social' && (
          <>
            <SocialLinksFields links={socialLinksOf({ type, attrs }, brand)} onChange={(links) => set({ links })} />
            <Align attrs={attrs} set={set} />
          </>
        )}
        {type === 'heading' && (
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label="Level"
            data={['1', '2', '3'].map((value) => ({ value, label: `H${value}` }))}
            value={String(attrs.level)}
            onChange={(level) => set({ level: Number(level) })}
          />
        )}
        {type !== 'mergeTag' && <ConditionFields editor={editor} />}
        {!formTypes.includes(type) && (
          <Text size="xs" c="dimmed">
            Type <kbd>/</kbd> for blocks and <kbd>{'{{'}</kbd> for fields of the contact. <kbd>Alt</kbd> + <kbd>↑</kbd> or <kbd>↓</kbd>{' '}
            moves the block.
          </Text>
        )}
        {around.map(({ node, start }) => (
          <Stack key={start} gap="sm" className={classes.around}>
            <Group justify="space-between">
              <Title order={3} size="h6">
                {blockNames[node.type.name]}
              </Title>
              <Button variant="default" size="compact-xs" onClick={() => editor.chain().setNodeSelection(start).focus().run()}>
                Select the {blockNames[node.type.name]?.toLowerCase()}
              </Button>
            </Group>
            {node.type.name === 'section' && <SectionFields attrs={node.attrs} set={setOf('section')} colors={brand.colors} />}
          </Stack>
        ))}
      </Stack>
    </section>
  );
}

const Action = ({ label, icon: Icon, onClick }: { label: string; icon: typeof IconCopy; onClick: () => void }) => (
  <ActionIcon variant="subtle" color="gray" size={30} aria-label={label} title={label} onClick={onClick}>
    <Icon size={16} stroke={1.7} aria-hidden />
  </ActionIcon>
);
