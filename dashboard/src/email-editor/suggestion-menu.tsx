import { Paper } from '@mantine/core';
import type { Editor } from '@tiptap/core';
import { type RefObject, useEffect, useEffectEvent, useId, useLayoutEffect, useState } from 'react';
import type { MergeField } from '../email-design/merge-fields.ts';
import { type EmailBlock, insertBlock, insertionOf, matching } from './blocks.ts';
import classes from './editor-frame.module.css';
import type { OpenMenu } from './extensions.ts';
import { useMergeFields } from './fields.ts';

type Props = {
  editor: Editor;
  menu: OpenMenu;
  /** Set while the menu is open: whether it has used the key. */
  keys: RefObject<((event: KeyboardEvent) => boolean) | undefined>;
  onClose: () => void;
};

type Choice = { name: string; describes?: string; icon?: EmailBlock['icon']; pick: () => void };

const height = 290;

/** The menu at the cursor. The focus stays in the text; arrow keys, Enter and Escape act on the menu. */
export function SuggestionMenu({ editor, menu, keys, onClose }: Props) {
  const { kind, query, range, rect } = menu;
  const id = useId();
  const fields = useMergeFields();
  const choices = kind === 'blocks' ? blockChoices(editor, menu) : fieldChoices(editor, menu, fields);
  const [at, setAt] = useState({ query, index: 0 });
  const index = at.query === query ? Math.min(at.index, choices.length - 1) : 0;
  const optionId = (of: number) => `${id}-${of}`;

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      onClose();
      return true;
    }
    if (choices.length === 0) return false;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const by = event.key === 'ArrowDown' ? 1 : choices.length - 1;
      setAt({ query, index: (index + by) % choices.length });
      return true;
    }
    if (event.key !== 'Enter' && event.key !== 'Tab') return false;
    choices[index]?.pick();
    return true;
  });
  useLayoutEffect(() => {
    keys.current = onKey;
    return () => {
      keys.current = undefined;
    };
  }, [keys]);

  // Screen readers follow the option although the focus is in the text.
  useEffect(() => {
    const { dom } = editor.view;
    dom.setAttribute('aria-controls', id);
    dom.setAttribute('aria-activedescendant', `${id}-${index}`);
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' });
    return () => {
      dom.removeAttribute('aria-controls');
      dom.removeAttribute('aria-activedescendant');
    };
  }, [editor, id, index]);

  if (choices.length === 0) return null;
  const top = rect.bottom + height > window.innerHeight ? Math.max(8, rect.top - height) : rect.bottom + 6;
  return (
    <Paper
      withBorder
      shadow="md"
      className={`${classes.floating} ${classes.menu}`}
      style={{ top, left: Math.min(rect.left, window.innerWidth - 256) }}
      role="listbox"
      id={id}
      aria-label={kind === 'blocks' ? 'Blocks' : 'Fields'}
    >
      {choices.map(({ name, describes, icon: Icon, pick }, of) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text, which keeps the focus.
        // biome-ignore lint/a11y/useFocusableInteractive: as above.
        <div
          key={describes ?? name}
          id={optionId(of)}
          role="option"
          aria-selected={of === index}
          className={classes.option}
          onMouseDown={(event) => event.preventDefault()}
          onMouseEnter={() => setAt({ query, index: of })}
          onClick={pick}
        >
          {Icon && <Icon size={16} stroke={1.6} aria-hidden />}
          {name}
        </div>
      ))}
    </Paper>
  );

  function blockChoices(of: Editor, { query: wanted }: OpenMenu): Choice[] {
    return matching(wanted).map((block) => ({ name: block.name, icon: block.icon, pick: () => insertBlock(of, block, range) }));
  }
}

function fieldChoices(editor: Editor, { query, range }: OpenMenu, fields: readonly MergeField[]): Choice[] {
  const wanted = query.trim().toLowerCase();
  return fields
    .filter(({ field, label }) => `${label} ${field}`.toLowerCase().includes(wanted))
    .slice(0, 50)
    .map(({ field, label, fallback }) => ({
      name: label,
      describes: field,
      pick: () => insertField(editor, { field, fallback }, range),
    }));
}

/** Inserts a field at the cursor; in its own paragraph after a block that is chosen. */
export function insertField(editor: Editor, { field, fallback }: Pick<MergeField, 'field' | 'fallback'>, range?: OpenMenu['range']) {
  const content = [
    { type: 'mergeTag', attrs: { field, fallback } },
    { type: 'text', text: ' ' },
  ];
  const at = range ?? insertionOf(editor.state);
  const inserted = typeof at === 'number' ? { type: 'paragraph', content } : content;
  editor.chain().focus().insertContentAt(at, inserted).run();
}
