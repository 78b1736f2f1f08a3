import { notifications } from '@mantine/notifications';
import { Editor, type JSONContent } from '@tiptap/core';
import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react';
import { type Brand, designOf, type EmailDesign } from '../email-design/design.ts';
import { fontStacks } from '../email-design/design-to-html.ts';
import { ImageDialog } from '../email-design/image-dialog.tsx';
import { type Image, imageTypes, useUploadImage } from '../email-design/images.ts';
import { shownSource } from '../email-frame/image-source.ts';
import { BlockPalette } from './block-palette.tsx';
import { dropBlock, insertionOf, moveBlock } from './blocks.ts';
import { BubbleMenu } from './bubble-menu.tsx';
import classes from './canvas.module.css';
import { variablesOn } from './canvas-colors.ts';
import frame from './editor-frame.module.css';
import { extensionsOf, type OpenMenu } from './extensions.ts';
import { Inspector } from './inspector.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { SuggestionMenu } from './suggestion-menu.tsx';
import { Toolbar } from './toolbar.tsx';

type Props = {
  design: EmailDesign;
  isDisabled: boolean;
  onChange: (design: EmailDesign) => void;
};

/** The name of an image file as a first description of it. */
const describedBy = (name: string) => name.replace(/\.[a-z]+$/i, '').replace(/[-_]+/g, ' ');

/** The block editor. It reads `design` once; a different email needs a different `key`. */
export default function EmailEditor({ design, isDisabled, onChange }: Props) {
  const { brand } = design;
  const { colors } = brand;
  const place = useRef<HTMLDivElement>(null);
  const keys = useRef<(event: KeyboardEvent) => boolean>(undefined);
  const [editor, setEditor] = useState<Editor>();
  const [menu, setMenu] = useState<OpenMenu>();
  const [dialog, setDialog] = useState<'image' | 'link'>();
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const upload = useUploadImage();

  const changed = useEffectEvent((doc: JSONContent) => {
    const next = designOf({ ...design, doc });
    if (next) onChange(next);
  });
  const insertFiles = useEffectEvent((target: Editor, files: readonly File[], at?: number) => {
    for (const file of files) {
      upload.mutate(file, {
        onSuccess: (image) => insertImage(target, image, at),
        onError: ({ message }) => notifications.show({ color: 'red', title: `Couldn't upload ${file.name}`, message }),
      });
    }
  });

  // An event, because the editor keeps its own state: what it reports must not create it again.
  const createEditor = useEffectEvent((element: HTMLElement) => {
    const images = (files: FileList | undefined) => [...(files ?? [])].filter(({ type }) => imageTypes.includes(type));
    const made: Editor = new Editor({
      element,
      content: design.doc,
      extensions: extensionsOf(brand, { onMenu: setMenu, onKey: (event) => keys.current?.(event) ?? false }),
      // The page's Content-Security-Policy blocks <style> elements.
      injectCSS: false,
      editorProps: {
        attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': 'Email content' },
        handleKeyDown: (_, event) => {
          if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return false;
          return moveBlock(made, event.key === 'ArrowUp' ? -1 : 1);
        },
        handlePaste: (_, event) => {
          const files = images(event.clipboardData?.files);
          insertFiles(made, files);
          return files.length > 0;
        },
        handleDrop: (view, event) => {
          const files = images(event.dataTransfer?.files);
          const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
          insertFiles(made, files, at);
          return dropBlock(made, event.dataTransfer, at) || files.length > 0;
        },
      },
      onUpdate: () => changed(made.getJSON()),
      onTransaction: renderAgain,
      onFocus: renderAgain,
      onBlur: renderAgain,
    });
    return made;
  });
  useEffect(() => {
    if (!place.current) return;
    const made = createEditor(place.current);
    setEditor(made);
    return () => made.destroy();
  }, []);

  useEffect(() => editor?.setEditable(!isDisabled, false), [editor, isDisabled]);

  const pick = (image: Image) => {
    setDialog(undefined);
    if (!editor) return;
    const type = ['image', 'product', 'video'].find((one) => editor.isActive(one));
    if (type === undefined) insertImage(editor, image);
    else {
      const size = type === 'image' ? { width: Math.min(image.width, 536) } : {};
      editor
        .chain()
        .focus()
        .updateAttributes(type, { src: image.url, ...size })
        .run();
    }
  };

  return (
    <div className={frame.frame}>
      {editor && <Toolbar editor={editor} onImage={() => setDialog('image')} onLink={() => setDialog('link')} />}
      <div className={frame.body}>
        <div className={classes.page} style={{ ...variablesOn(colors.background, colors), fontFamily: fontStacks[brand.font] }}>
          <Logo brand={brand} />
          <div className={classes.sheet} style={variablesOn(colors.surface, colors)} ref={place} />
          <Footer brand={brand} />
        </div>
        {editor && <Inspector editor={editor} brand={brand} onImage={() => setDialog('image')} />}
        {editor && <BlockPalette editor={editor} />}
      </div>
      {editor && menu && <SuggestionMenu key={menu.kind} editor={editor} menu={menu} keys={keys} onClose={() => setMenu(undefined)} />}
      {editor && !menu && <BubbleMenu editor={editor} onLink={() => setDialog('link')} />}
      {editor && dialog === 'link' && <LinkDialog editor={editor} onClose={() => setDialog(undefined)} />}
      {dialog === 'image' && <ImageDialog onPick={pick} onClose={() => setDialog(undefined)} />}
    </div>
  );
}

function insertImage(editor: Editor, { url, name, width }: Image, at?: number) {
  const image = { type: 'image', attrs: { src: url, alt: describedBy(name), width: Math.min(width, 536) } };
  editor
    .chain()
    .focus()
    .insertContentAt(at ?? insertionOf(editor.state), image)
    .run();
}

function Logo({ brand: { logo_url, logo_width, company_name } }: { brand: Brand }) {
  if (!logo_url) return null;
  const shown = shownSource(logo_url);
  return (
    <div className={classes.logo}>
      {shown ? <img src={shown} width={logo_width} alt={company_name ?? 'Logo'} /> : (company_name ?? 'Logo')}
    </div>
  );
}

const Footer = ({ brand: { company_name, postal_address, footer_text } }: { brand: Brand }) => (
  <div className={classes.footer}>
    {[company_name, postal_address, footer_text, 'Unsubscribe or change your preferences'].filter(Boolean).join('\n')}
  </div>
);
