import { json } from '@codemirror/lang-json';
import { useComputedColorScheme } from '@mantine/core';
import CodeMirror, { Decoration, EditorView } from '@uiw/react-codemirror';
import { use, useCallback, useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { FormContext } from '../../form/form-context.ts';
import type { JsonFault } from '../read-definition.ts';
import classes from './json-editor.module.css';
import { mistakeIn, placeOf } from './json-place.ts';

type Props = { label: string; value: string; fault: JsonFault | null; onChange: (text: string) => void };

const look = EditorView.theme({
  '&': { fontSize: '12.5px', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace' },
  '.cm-fault': { backgroundColor: 'rgba(224, 49, 49, 0.16)' },
});

/** JSON with colors and the line of a fault. In a shadow root, as the page's policy blocks the `<style>` that it would add to the page. */
export default function JsonEditor({ label, value, fault, onChange }: Props) {
  const [root, setRoot] = useState<ShadowRoot | null>(null);
  const attach = useCallback((host: HTMLDivElement | null) => {
    if (host) setRoot(host.shadowRoot ?? host.attachShadow({ mode: 'open' }));
  }, []);
  const isReadOnly = use(FormContext)?.isPending ?? false;
  const scheme = useComputedColorScheme('light');
  const at = fault && (fault.path ? placeOf(value, fault.path) : (mistakeIn(value) ?? value.length));
  const extensions = useMemo(
    () => [
      json(),
      look,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, ...(fault && { 'aria-invalid': 'true' }) }),
      EditorView.decorations.of((view) => {
        if (at === null) return Decoration.none;
        const line = view.state.doc.lineAt(Math.min(at, view.state.doc.length));
        return Decoration.set(Decoration.line({ class: 'cm-fault' }).range(line.from));
      }),
    ],
    [label, fault, at],
  );
  const line = at === null ? 0 : value.slice(0, at).split('\n').length;
  return (
    <>
      <div ref={attach} className={classes.editor}>
        {root &&
          createPortal(
            <CodeMirror
              root={root}
              value={value}
              theme={scheme}
              readOnly={isReadOnly}
              minHeight="420px"
              extensions={extensions}
              basicSetup={{ foldGutter: true, autocompletion: false }}
              onChange={onChange}
            />,
            root,
          )}
      </div>
      {fault && (
        <p className={classes.fault} role="alert">
          Line {line}: {fault.message}
        </p>
      )}
    </>
  );
}
