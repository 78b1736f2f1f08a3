import { Alert, Anchor, SegmentedControl, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from 'react';
import { RequestFailed } from '../api/errors.ts';
import { Outline } from '../api/outline.tsx';
import { Editor } from '../editor/editor.tsx';
import { Form } from '../form/form.tsx';
import type { Draft } from '../form/kept-draft.tsx';
import { required } from '../form/required.ts';
import type { Autosave } from '../form/use-autosave.ts';
import { historyOf, record } from './canvas/history.ts';
import { type Problem, type Problems, problemsOf, triggerProblems } from './canvas/problems.ts';
import { WorkflowEditor } from './canvas/workflow-editor.tsx';
import { comparableWorkflow } from './comparable-workflow.ts';
import { type Definition, definitionOf, firstDefinition, jsonOf } from './definition.ts';
import { stepOf } from './edits/graph.ts';
import { EmailDialogProvider } from './email-dialog.tsx';
import { type JsonFault, readDefinition } from './read-definition.ts';
import { SegmentDialogProvider } from './segment-dialog.tsx';
import { stepName } from './step-labels.ts';
import { useStepNames } from './step-names.ts';
import classes from './workflow-form.module.css';
import type { NewWorkflow, Workflow } from './workflows.ts';

const JsonEditor = lazy(() => import('./canvas/json-editor.tsx'));

/** As typed. `broken` is JSON that cannot be read. */
export type WorkflowDraft = FirstDraft & { broken: string };

/** What a new workflow begins with. */
export type FirstDraft = { name: string; description: string; definition: Definition };

const emptyDraft: FirstDraft = { name: '', description: '', definition: firstDefinition };

export const workflowDraftOf = (workflow: Workflow): WorkflowDraft => ({
  name: workflow.name,
  description: workflow.description ?? '',
  definition: definitionOf(workflow),
  broken: '',
});

type Props = Pick<ComponentProps<typeof Editor>, 'title' | 'back' | 'status' | 'live' | 'more' | 'primary' | 'submit' | 'failed'> & {
  workflow?: Workflow;
  first?: FirstDraft;
  saving: { isPending: boolean; error: Error | null };
  kept: Pick<Draft<WorkflowDraft>, 'name' | 'stored'>;
  autosave?: Omit<Autosave<WorkflowDraft>, 'isValid'>;
  notice?: ReactNode;
  /** Calls back once the draft is saved. */
  onSubmit: (draft: WorkflowDraft, onDone: () => void) => void;
};

/** Its fields may be missing or more: the API validates them and reports errors. */
export const workflowOf = ({ name, description, definition }: WorkflowDraft) =>
  ({ ...definition, name, description: description.trim() || null }) as NewWorkflow;

/** JSON as it is typed; `fault` until it can be drawn. */
type Written = { text: string; fault: JsonFault | null };

/** Edits a workflow on the canvas, or as JSON. */
export function WorkflowForm({ workflow, first = emptyDraft, saving, kept, autosave, notice, onSubmit, ...editor }: Props) {
  const [history, setHistory] = useState(() => historyOf(workflow ? definitionOf(workflow) : first.definition));
  const [written, setWritten] = useState<Written | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const [isStrict, setStrict] = useState(false);
  const definition = history.present;
  const namedElsewhere = useStepNames(definition);
  const named = (id: string) => {
    const step = stepOf(definition, id);
    return step ? `“${stepName(step)}”` : namedElsewhere(id);
  };
  const form = useForm({
    initialValues: { ...(workflow ? workflowDraftOf(workflow) : { ...first, broken: '' }), definition },
    validate: {
      name: required('Give the workflow a name.'),
      definition: (value) => (problemsOf(value).size > 0 ? 'Complete the steps.' : null),
      broken: (text) => (text === '' ? null : 'Fix the JSON.'),
    },
  });

  const put = (next: typeof history) => {
    setHistory(next);
    form.setFieldValue('definition', next.present);
  };
  const fill = ({ broken, ...values }: WorkflowDraft) => {
    form.setValues({ ...values, broken: '' });
    setHistory(record(history, values.definition, 'restore'));
    setWritten(null);
    if (broken !== '') write(broken);
  };
  const write = (text: string) => {
    const read = readDefinition(text);
    setWritten({ text, fault: 'fault' in read ? read.fault : null });
    form.setFieldValue('broken', 'fault' in read ? text : '');
    if ('definition' in read) put(record(history, read.definition, 'json'));
  };

  const rejected = useRejected(saving.error, definition);
  const own = problemsOf(definition);
  const problems = merged(own, rejected);
  const list = [...problems].flatMap(([at, all]) => all.map(({ message }) => ({ at, message })));
  const isJson = written !== null;

  const attempt = () => {
    setStrict(true);
    const [first] = problems.keys();
    if (first !== undefined && !isJson) setSelected(first === triggerProblems ? null : first);
  };

  return (
    <SegmentDialogProvider>
      <EmailDialogProvider definition={definition}>
        <div onSubmitCapture={attempt}>
          <Form
            form={form}
            saving={saving}
            draft={{ ...kept, fill, comparable: (values) => comparableWorkflow(values, namedElsewhere), named }}
            autosave={
              autosave && {
                isOn: autosave.isOn,
                isValid: own.size === 0 && form.values.name.trim() !== '' && form.values.broken === '',
                save: (draft) => autosave.save(draft).then(() => form.resetDirty(draft)),
              }
            }
            onSubmit={(draft) => onSubmit(draft, () => form.resetDirty(draft))}
          >
            <Editor
              {...editor}
              name={form.getInputProps('name')}
              isFilling
              more={
                <>
                  <SegmentedControl
                    size="xs"
                    aria-label="View"
                    data={[
                      { value: 'canvas', label: 'Canvas' },
                      { value: 'json', label: 'JSON' },
                    ]}
                    value={isJson ? 'json' : 'canvas'}
                    disabled={written?.fault != null}
                    onChange={(view) => setWritten(view === 'json' ? { text: jsonOf(definition), fault: null } : null)}
                  />
                  {editor.more}
                </>
              }
            >
              {notice}
              {isStrict && list.length > 0 && !written?.fault && (
                <ProblemList list={list} definition={definition} onChoose={isJson ? undefined : setSelected} />
              )}
              {written ? (
                <div className={classes.json}>
                  <Suspense fallback={<Outline of="the editor" shape="lines" count={16} />}>
                    <JsonEditor label="Trigger and steps" value={written.text} fault={written.fault} onChange={write} />
                  </Suspense>
                </div>
              ) : (
                <WorkflowEditor
                  history={history}
                  onHistory={put}
                  problems={problems}
                  isStrict={isStrict || rejected.size > 0}
                  selected={selected}
                  onSelect={setSelected}
                  about={<TextInput label="Description" autoComplete="off" {...form.getInputProps('description')} />}
                />
              )}
            </Editor>
          </Form>
        </div>
      </EmailDialogProvider>
    </SegmentDialogProvider>
  );
}

type ListProps = {
  list: readonly { at: string; message: string }[];
  definition: Definition;
  onChoose: ((stepId: string | null) => void) | undefined;
};

const ProblemList = ({ list, definition, onChoose }: ListProps) => (
  <Alert
    className={classes.problems ?? ''}
    color="red"
    variant="light"
    role="alert"
    title={list.length === 1 ? 'One thing to complete' : `${list.length} things to complete`}
  >
    {list.map(({ at, message }) => {
      const step = stepOf(definition, at);
      const words = `${step ? `${stepName(step)}: ` : at === triggerProblems ? 'Trigger: ' : ''}${message}`;
      return (
        <div key={at + message}>
          {onChoose ? (
            <Anchor component="button" type="button" inherit underline="always" c="inherit" onClick={() => onChoose(step ? at : null)}>
              {words}
            </Anchor>
          ) : (
            words
          )}
        </div>
      );
    })}
  </Alert>
);

const merged = (one: Problems, other: Problems): Problems =>
  new Map([...one.keys(), ...other.keys()].map((at) => [at, [...(one.get(at) ?? []), ...(other.get(at) ?? [])]]));

/** The errors of the API at what they are about. Each goes with the next edit of that part. */
function useRejected(error: Error | null, definition: Definition): Problems {
  const [rejected, setRejected] = useState<{ error: Error | null; parts: ReadonlyMap<unknown, readonly Problem[]> }>({
    error: null,
    parts: new Map(),
  });
  if (error !== rejected.error) setRejected({ error, parts: partsOf(error, definition) });
  const of = (at: string, part: unknown): [string, readonly Problem[]][] => {
    const found = rejected.parts.get(part);
    return found ? [[at, found]] : [];
  };
  return new Map([...of(triggerProblems, definition.trigger), ...definition.steps.flatMap((step) => of(step.id, step))]);
}

/** The errors of the API by the part of the definition, which is another object after it was edited. */
function partsOf(error: Error | null, { trigger, steps }: Definition): Map<unknown, Problem[]> {
  const parts = new Map<unknown, Problem[]>();
  for (const { path = '', message } of error instanceof RequestFailed ? error.details : []) {
    const [, index, below] = /^\/steps\/(\d+)(.*)$/.exec(path) ?? [];
    const part = index === undefined ? trigger : steps[Number(index)];
    if (message === undefined || (index === undefined && !/^\/(trigger|entry|exit_when|quiet_hours|max_concurrent|priority)/.test(path)))
      continue;
    parts.set(part, [...(parts.get(part) ?? []), { path: below ?? path.replace(/^\/trigger/, ''), message }]);
  }
  return parts;
}
