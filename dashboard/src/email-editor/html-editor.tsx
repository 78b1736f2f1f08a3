import { html } from '@codemirror/lang-html';
import { liquid } from '@codemirror/lang-liquid';
import { Alert, Anchor, Stack, useComputedColorScheme } from '@mantine/core';
import { basicSetup, Compartment, Decoration, EditorState, EditorView, oneDark, StateEffect, StateField } from '@uiw/react-codemirror';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useMergeFields } from './fields.ts';

/** An error in the HTML, as the API reports it. */
export type Problem = { line: number | undefined; message: string };

type Props = { value: string; problems: readonly Problem[]; isDisabled: boolean; onChange: (html: string) => void };

const setProblems = StateEffect.define<readonly number[]>();

/** Marks the lines with errors. */
const problemLines = StateField.define({
  create: () => Decoration.none,
  update(marked, { state, effects, changes }) {
    const set = effects.find((effect) => effect.is(setProblems));
    if (!set) return marked.map(changes);
    const lines = [...new Set(set.value)].filter((line) => line >= 1 && line <= state.doc.lines).toSorted((a, b) => a - b);
    return Decoration.set(lines.map((line) => Decoration.line({ class: 'problem' }).range(state.doc.line(line).from)));
  },
  provide: (field) => EditorView.decorations.from(field),
});

const looks = EditorView.theme({
  '&': {
    fontSize: '13px',
    minHeight: '320px',
    maxHeight: '70vh',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-md)',
    overflow: 'hidden',
  },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', overflow: 'auto', minHeight: '320px' },
  '.problem': { backgroundColor: 'light-dark(#fff0f0, #341f22)' },
});

/** The background of oneDark is too light for the red of its tags. */
const darker = EditorView.theme({ '&, .cm-gutters': { backgroundColor: '#1e2127' } }, { dark: true });

/** HTML with Liquid. Errors are marked in their lines and listed below. */
export default function HtmlEditor({ value, problems, isDisabled, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [parts] = useState(() => ({ theme: new Compartment(), editable: new Compartment() }));
  const scheme = useComputedColorScheme('light');
  const fields = useMergeFields();
  /** Reported, and not yet returned as `value`: rendering may be behind typing. */
  const reported = useRef<string[]>([]);
  const changed = useEffectEvent((text: string) => {
    reported.current.push(text);
    onChange(text);
  });
  const beginning = useEffectEvent(() => value);
  const variables = useEffectEvent(() => fields.map(({ field, label }) => ({ label: field, detail: label })));

  useEffect(() => {
    if (!place.current) return;
    // In a shadow root CodeMirror uses constructed style sheets, which the page's Content-Security-Policy allows.
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' });
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: beginning(),
        extensions: [
          // The highlighted line of the cursor would be too light for the colors of the code.
          basicSetup({ foldGutter: false, highlightActiveLine: false }),
          liquid({ base: html(), variables: variables() }),
          ...[problemLines, looks, EditorView.lineWrapping, EditorView.contentAttributes.of({ 'aria-label': 'HTML' })],
          parts.theme.of([]),
          parts.editable.of([]),
          EditorView.updateListener.of(({ docChanged, state }) => docChanged && changed(state.doc.toString())),
        ],
      }),
    });
    setView(made);
    return () => made.destroy();
  }, [parts]);

  useEffect(() => {
    const known = reported.current.lastIndexOf(value);
    if (known >= 0) reported.current.splice(0, known + 1);
    // Another template was chosen, or an earlier version.
    else if (view && view.state.doc.toString() !== value) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [view, value]);
  useEffect(() => {
    view?.dispatch({ effects: parts.theme.reconfigure(scheme === 'dark' ? [darker, oneDark] : []) });
  }, [view, parts, scheme]);
  useEffect(() => {
    view?.dispatch({ effects: parts.editable.reconfigure(EditorState.readOnly.of(isDisabled)) });
  }, [view, parts, isDisabled]);
  useEffect(() => {
    view?.dispatch({ effects: setProblems.of(problems.flatMap(({ line }) => line ?? [])) });
  }, [view, problems]);

  const goTo = (line: number) => {
    if (!view) return;
    const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
    view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    view.focus();
  };

  return (
    <Stack gap="xs">
      <div ref={place} />
      {problems.length > 0 && (
        <Alert color="red" role="status" title={problems.length === 1 ? 'There is an error' : `There are ${problems.length} errors`}>
          {problems.map(({ line, message }) => (
            <div key={`${line} ${message}`}>
              {line !== undefined && (
                <Anchor component="button" type="button" size="sm" onClick={() => goTo(line)}>
                  Line {line}
                </Anchor>
              )}{' '}
              {message}
            </div>
          ))}
        </Alert>
      )}
    </Stack>
  );
}
