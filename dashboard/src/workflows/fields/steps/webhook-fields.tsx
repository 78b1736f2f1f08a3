import { NativeSelect, Textarea } from '@mantine/core';
import { optionIn, optionsOf } from '../../../form/options.ts';
import classes from '../fields.module.css';
import { PairsField } from '../pairs-field.tsx';
import { useDraft } from '../use-draft.ts';
import { type StepProps, useSet } from './step-props.ts';
import { StepTextField } from './step-text-field.tsx';

const methods = { POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE', GET: 'GET' } as const;

/** The request, and what is kept of its response. */
export function WebhookFields(props: StepProps<'webhook'>) {
  const { step, fault } = props;
  const set = useSet(props);
  const [body, setBody] = useDraft<unknown, string>(
    step.body,
    (value) => {
      const { body: _, ...rest } = step;
      set(value === undefined ? rest : { ...rest, body: value }, 'body');
    },
    { read: textOfBody, write: bodyOf },
  );
  return (
    <>
      <StepTextField
        {...props}
        field="url"
        label="URL"
        placeholder="https://example.com/hooks"
        value={step.url}
        onText={(url) => ({ ...step, url })}
      />
      <NativeSelect
        label="Method"
        data={optionsOf(methods)}
        value={step.method ?? 'POST'}
        onChange={(event) => set({ ...step, method: optionIn(methods, event.currentTarget.value) ?? 'POST' }, null)}
      />
      <PairsField<string>
        label="Headers"
        nameLabel="Header"
        valueLabel="Value"
        add="Add header"
        value={step.headers ?? {}}
        onChange={(headers) => set({ ...step, headers }, 'headers')}
        read={String}
        write={String}
        error={fault('/headers')}
      />
      <Textarea
        label="Body"
        description={
          typeof step.body === 'string'
            ? 'This is not JSON, so it is sent as text.'
            : 'JSON. Leave empty to send the IDs and data of the run.'
        }
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: classes.source ?? '' }}
        value={body}
        onChange={(event) => setBody(event.currentTarget.value)}
        error={fault('/body')}
      />
      <PairsField<string>
        label="Keep from the response"
        description={`Later steps and their emails read them as {{ responses.${step.id}.<name> }}.`}
        nameLabel="Name"
        valueLabel="/score"
        add="Add value"
        value={step.capture ?? {}}
        onChange={(capture) => {
          const { capture: _, ...rest } = step;
          set(Object.keys(capture).length > 0 ? { ...rest, capture } : rest, 'capture');
        }}
        read={String}
        write={String}
        error={fault('/capture')}
      />
    </>
  );
}

const textOfBody = (value: unknown) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** JSON, or else text. */
function bodyOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
