import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Input,
  MultiSelect,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { optionIn, optionsOf } from '../../form/options.ts';
import { addWay, canRemoveWay, change, maxWays, removeWay } from '../canvas/graph.ts';
import type { Definition } from '../definition.ts';
import { dayNames, wayWords } from '../step-words.ts';
import type { WorkflowStep } from '../workflows.ts';
import { DateOffsetField } from './date-offset-field.tsx';
import { DurationField } from './duration-field.tsx';
import classes from './fields.module.css';
import { type Fault, OccurrencesField } from './occurrences-field.tsx';
import { PairsField } from './pairs-field.tsx';
import {
  DateFieldPicker,
  EventField,
  SegmentPicker,
  TemplatePicker,
  UserPicker,
  useFieldOptions,
  WorkflowPicker,
  ZonePicker,
} from './pickers.tsx';
import { RuleField } from './rule-field.tsx';
import { fieldsOf, membersOf } from './set-fields.ts';
import { useDraft } from './use-draft.ts';
import { scalarOf } from './where.ts';
import { WhereField } from './where-field.tsx';

export type StepType = WorkflowStep['type'];
type Typed<Type extends StepType> = Extract<WorkflowStep, { type: Type }>;

type Props<Step extends WorkflowStep = WorkflowStep> = {
  step: Step;
  definition: Definition;
  /** Edits with the same tag are undone together. */
  onChange: (definition: Definition, tag: string | null) => void;
  fault: Fault;
};

/** The fields of a step. */
export function StepFields(props: Props) {
  const { step } = props;
  switch (step.type) {
    case 'delay':
      return <DelayFields {...props} step={step} />;
    case 'branch':
      return <BranchFields {...props} step={step} />;
    case 'wait_until':
    case 'goal':
      return <AwaitFields {...props} step={step} />;
    case 'split':
      return <SplitFields {...props} step={step} />;
    case 'send':
      return <SendFields {...props} step={step} />;
    case 'update_contact':
      return <UpdateFields {...props} step={step} />;
    case 'add_tag':
    case 'remove_tag':
      return <TextField {...props} field="tag" label="Tag" value={step.tag} onText={(tag) => ({ ...step, tag })} />;
    case 'add_to_segment':
    case 'remove_from_segment':
      return <SegmentField {...props} step={step} />;
    case 'notify':
      return <NotifyFields {...props} step={step} />;
    case 'webhook':
      return <WebhookFields {...props} step={step} />;
    case 'start_workflow':
      return <StartFields {...props} step={step} />;
    case 'track_event':
      return <TrackFields {...props} step={step} />;
    case 'exit':
      return (
        <TextField
          {...props}
          field="reason"
          label="Reason"
          value={step.reason ?? ''}
          onText={(reason) => ({ ...step, reason })}
          description="Shown with the run."
        />
      );
  }
}

/** Replaces the step; typing in one field is undone together. */
const useSet =
  ({ step, definition, onChange }: Props) =>
  (next: WorkflowStep, field: string | null) =>
    onChange(change(definition, next), field === null ? null : `${step.id}/${field}`);

type TextProps = Props & {
  field: string;
  label: string;
  value: string;
  onText: (text: string) => WorkflowStep;
  description?: ReactNode;
  placeholder?: string;
  isLong?: boolean;
};

function TextField({ field, label, value, onText, description, placeholder, isLong = false, ...props }: TextProps) {
  const set = useSet(props);
  const rest = { label, description, placeholder, value, error: props.fault(`/${field}`) };
  return isLong ? (
    <Textarea {...rest} autosize minRows={3} maxRows={16} onChange={(event) => set(onText(event.currentTarget.value), field)} />
  ) : (
    <TextInput {...rest} autoComplete="off" onChange={(event) => set(onText(event.currentTarget.value), field)} />
  );
}

const waits = {
  for: 'For some time',
  until: 'Until a date and time',
  until_local: 'Until a time of day',
  until_date: 'Until a date of the contact',
} as const;

/** The time that a field of type `datetime-local` shows. */
const localText = (at: string) => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const momentOf = (text: string) => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
};

function DelayFields({ fault, ...props }: Props<Typed<'delay'>>) {
  const { step } = props;
  const set = useSet({ ...props, fault });
  const { for: length, until, until_local: local, until_date: date, ...rest } = step;
  const kind = length !== undefined ? 'for' : until !== undefined ? 'until' : local ? 'until_local' : 'until_date';
  const choose = (chosen: keyof typeof waits): Typed<'delay'> => {
    if (chosen === 'for') return { ...rest, for: 'P1D' };
    if (chosen === 'until') return { ...rest, until: '' };
    if (chosen === 'until_local') return { ...rest, until_local: { time: '09:00', timezone: 'UTC' } };
    return { ...rest, until_date: { field: '', timezone: 'UTC' } };
  };
  return (
    <>
      <NativeSelect
        label="Wait"
        data={optionsOf(waits)}
        value={kind}
        onChange={(event) => set(choose(optionIn(waits, event.currentTarget.value) ?? 'for'), null)}
      />
      {length !== undefined && (
        <DurationField label="Length" value={length} onChange={(to) => set({ ...step, for: to }, 'for')} error={fault('/for')} />
      )}
      {until !== undefined && (
        <TextInput
          type="datetime-local"
          label="Date and time"
          description="In your time zone"
          value={localText(until)}
          onChange={(event) => set({ ...step, until: momentOf(event.currentTarget.value) }, 'until')}
          error={fault('/until')}
        />
      )}
      {local && (
        <>
          <TextInput
            type="time"
            label="Time"
            description="In the contact's time zone"
            value={local.time}
            onChange={(event) => set({ ...step, until_local: { ...local, time: event.currentTarget.value } }, 'time')}
            error={fault('/until_local/time')}
          />
          <MultiSelect
            label="Days"
            placeholder={local.weekdays?.length ? '' : 'Every day'}
            data={optionsOf(dayNames)}
            value={local.weekdays ?? []}
            onChange={(chosen) => {
              const { weekdays: _, ...other } = local;
              const weekdays = chosen.flatMap((day) => optionIn(dayNames, day) ?? []);
              set({ ...step, until_local: weekdays.length > 0 ? { ...other, weekdays } : other }, null);
            }}
          />
          <ZonePicker
            label="Time zone of contacts without one"
            value={local.timezone ?? 'UTC'}
            onChange={(timezone) => set({ ...step, until_local: { ...local, timezone: timezone || 'UTC' } }, null)}
          />
        </>
      )}
      {date && (
        <>
          <DateFieldPicker
            label="Date"
            value={date.field}
            onChange={(field) => set({ ...step, until_date: { ...date, field } }, null)}
            error={fault('/until_date/field')}
          />
          <DateOffsetField
            value={date.offset}
            onChange={(offset) => {
              const { offset: _, ...other } = date;
              set({ ...step, until_date: offset === undefined ? other : { ...other, offset } }, 'offset');
            }}
          />
          <TextInput
            type="time"
            label="Time"
            description="In the contact's time zone. Leave empty to use the time of the date itself."
            value={date.time ?? ''}
            onChange={({ currentTarget: { value } }) => {
              const { time: _, ...other } = date;
              set({ ...step, until_date: value === '' ? other : { ...other, time: value } }, 'time');
            }}
          />
          <ZonePicker
            label="Time zone of contacts without one"
            value={date.timezone ?? 'UTC'}
            onChange={(timezone) => set({ ...step, until_date: { ...date, timezone: timezone || 'UTC' } }, null)}
          />
        </>
      )}
    </>
  );
}

function BranchFields({ step, definition, onChange, fault }: Props<Typed<'branch'>>) {
  const set = useSet({ step, definition, onChange, fault });
  type Branch = (typeof step.branches)[number];
  const put = (index: number, branch: Branch, field: string | null) =>
    set({ ...step, branches: step.branches.map((one, at) => (at === index ? branch : one)) }, field);
  const swapWithBefore = (index: number) => {
    const [one, before] = [step.branches[index], step.branches[index - 1]];
    if (!one || !before) return;
    set({ ...step, branches: step.branches.map((other, at) => (at === index ? before : at === index - 1 ? one : other)) }, null);
  };
  return (
    <>
      <ul className={classes.rows}>
        {step.branches.map((branch, index) => {
          const { when, data, to } = branch;
          const name = `Branch ${index + 1}`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: branches have no identity except their position.
            <li key={index} className={classes.block}>
              <div className={classes.head}>
                <span className={classes.title}>{name}</span>
                {index > 0 && (
                  <ActionIcon variant="subtle" color="gray" aria-label={`Move ${name} up`} onClick={() => swapWithBefore(index)}>
                    <IconArrowUp size={16} aria-hidden />
                  </ActionIcon>
                )}
                {canRemoveWay(definition, { from: step.id, way: index }) && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove ${name}`}
                    onClick={() => onChange(removeWay(definition, { from: step.id, way: index }), null)}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                )}
              </div>
              <NativeSelect
                aria-label={`What ${name} checks`}
                data={[
                  { value: 'when', label: 'The contact' },
                  { value: 'data', label: 'The data of the run' },
                ]}
                value={data ? 'data' : 'when'}
                onChange={({ currentTarget: { value } }) =>
                  put(
                    index,
                    value === 'data' ? { data: {}, to } : { when: { all: [{ field: 'tags', op: 'contains', value: '' }] }, to },
                    null,
                  )
                }
              />
              {data ? (
                <WhereField
                  label="Conditions"
                  prefix="data."
                  placeholder="properties.total"
                  value={data}
                  onChange={(next) => put(index, { ...branch, data: next }, `branches/${index}`)}
                  error={fault(`/branches/${index}/data`)}
                />
              ) : (
                when && (
                  <RuleField
                    label="Conditions"
                    value={when}
                    onChange={(next) => put(index, { ...branch, when: next }, `branches/${index}`)}
                    error={fault(`/branches/${index}/when`)}
                  />
                )
              )}
            </li>
          );
        })}
      </ul>
      {step.branches.length < maxWays.branch && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange(addWay(definition, step.id), null)}
          >
            Add branch
          </Button>
        </Group>
      )}
    </>
  );
}

function SplitFields({ step, definition, onChange, fault }: Props<Typed<'split'>>) {
  const set = useSet({ step, definition, onChange, fault });
  return (
    <Input.Wrapper label="Weights" labelElement="div" description="A contact always takes the same path." error={fault('/paths')}>
      <ul className={classes.rows}>
        {step.paths.map((path, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: paths have no identity except their position.
          <li key={index} className={classes.head}>
            <NumberInput
              aria-label={`Weight of path ${index + 1}`}
              min={1}
              max={1_000}
              allowDecimal={false}
              suffix={`  (${wayWords(step, index, (id) => id)})`}
              value={path.weight}
              onChange={(weight) =>
                set(
                  { ...step, paths: step.paths.map((one, at) => (at === index ? { ...one, weight: Number(weight) || 0 } : one)) },
                  `paths/${index}`,
                )
              }
            />
            {canRemoveWay(definition, { from: step.id, way: index }) && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={`Remove path ${index + 1}`}
                onClick={() => onChange(removeWay(definition, { from: step.id, way: index }), null)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      {step.paths.length < maxWays.split && (
        <Button
          mt="xs"
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange(addWay(definition, step.id), null)}
        >
          Add path
        </Button>
      )}
    </Input.Wrapper>
  );
}

function AwaitFields({ fault, ...props }: Props<Typed<'wait_until' | 'goal'>>) {
  const { step, definition } = props;
  const set = useSet({ ...props, fault });
  return (
    <>
      <OccurrencesField
        label={step.type === 'goal' ? 'The goal is reached when' : 'Continue when'}
        steps={definition.steps}
        value={step.any}
        onChange={(any) => set({ ...step, any }, 'any')}
        path="/any"
        fault={fault}
      />
      {step.type === 'goal' ? (
        <DurationField
          label="Within this time of the start"
          value={step.within}
          onChange={(within) => set({ ...step, within }, 'within')}
          error={fault('/within')}
        />
      ) : (
        <DurationField
          label="Or after"
          value={step.timeout}
          onChange={(timeout) => set({ ...step, timeout }, 'timeout')}
          error={fault('/timeout')}
        />
      )}
    </>
  );
}

const contents = { html: 'Write here', template: 'Template' } as const;
const categories = { marketing: 'Marketing: needs consent', transactional: 'Transactional: the recipient expects it' } as const;

function SendFields(props: Props<Typed<'send'>>) {
  const { step, fault } = props;
  const set = useSet(props);
  const { template_id, html, text, ...rest } = step;
  const isTemplate = template_id !== undefined;
  const { from } = step;
  return (
    <>
      <SegmentedControl
        aria-label="Content"
        fullWidth
        data={optionsOf(contents)}
        value={isTemplate ? 'template' : 'html'}
        onChange={(chosen) => set(chosen === 'template' ? { ...rest, template_id: '' } : { ...rest, html: '' }, null)}
      />
      {isTemplate && (
        <TemplatePicker
          label="Template"
          description="Its current version is sent."
          value={template_id}
          onChange={(id) => set({ ...step, template_id: id }, null)}
          error={fault('/template_id')}
        />
      )}
      <TextField
        {...props}
        field="subject"
        label="Subject"
        description={isTemplate ? 'Leave empty to use that of the template' : undefined}
        value={step.subject ?? ''}
        onText={(subject) => {
          const { subject: _, ...other } = step;
          return isTemplate && subject === '' ? other : { ...other, subject };
        }}
      />
      <TextField
        {...props}
        field="preview_text"
        label="Preview text"
        value={step.preview_text ?? ''}
        onText={(preview) => ({ ...step, preview_text: preview === '' ? null : preview })}
      />
      {!isTemplate && (
        <>
          <Textarea
            label="Email"
            description="HTML. Personalize it with {{ contact.first_name }}."
            autosize
            minRows={6}
            maxRows={20}
            spellCheck={false}
            classNames={{ input: classes.source ?? '' }}
            value={html ?? ''}
            onChange={(event) => set({ ...step, html: event.currentTarget.value }, 'html')}
            error={fault('/html')}
          />
          <TextField
            {...props}
            field="text"
            label="Plain text"
            description="Leave empty to generate it from the email"
            isLong
            value={text ?? ''}
            onText={(plain) => ({ ...step, text: plain === '' ? null : plain })}
          />
        </>
      )}
      <TextInput
        label="From name"
        autoComplete="off"
        value={from.name ?? ''}
        onChange={({ currentTarget: { value } }) => set({ ...step, from: { ...from, name: value === '' ? null : value } }, 'from/name')}
        error={fault('/from/name')}
      />
      <TextInput
        label="From address"
        type="email"
        autoComplete="off"
        value={from.email}
        onChange={(event) => set({ ...step, from: { ...from, email: event.currentTarget.value } }, 'from/email')}
        error={fault('/from/email')}
      />
      <TextField
        {...props}
        field="reply_to"
        label="Reply-to"
        description="Leave empty to use the sender"
        value={step.reply_to ?? ''}
        onText={(address) => ({ ...step, reply_to: address === '' ? null : address })}
      />
      <NativeSelect
        label="Category"
        data={optionsOf(categories)}
        value={step.category ?? 'marketing'}
        onChange={(event) => set({ ...step, category: optionIn(categories, event.currentTarget.value) ?? 'marketing' }, null)}
      />
      <Group gap="lg">
        {(['opens', 'clicks'] as const).map((what) => (
          <Checkbox
            key={what}
            label={`Track ${what}`}
            checked={step.track?.[what] ?? true}
            onChange={(event) => set({ ...step, track: { ...step.track, [what]: event.currentTarget.checked } }, null)}
          />
        ))}
      </Group>
    </>
  );
}

function UpdateFields(props: Props<Typed<'update_contact'>>) {
  const { step, fault } = props;
  const set = useSet(props);
  const fields = useFieldOptions();
  const isAttribute = ({ value }: { value: string }) => value.startsWith('attributes.');
  return (
    <>
      <PairsField<unknown>
        label="Set"
        description="Values can contain {{ contact.first_name }} or {{ data.properties.total }}."
        nameLabel="Field"
        valueLabel="Value"
        add="Add field"
        value={fieldsOf(step.set ?? {})}
        onChange={(pairs) => set({ ...step, set: membersOf(pairs) }, 'set')}
        read={(value) => (typeof value === 'string' ? value : JSON.stringify(value))}
        write={(text, name) => (name.startsWith('attributes.') ? scalarOf(text) : listOrText(text, name))}
        suggestions={fields}
        error={fault('/set')}
      />
      <PairsField<number>
        label="Increase"
        description="Numbers to add; negative ones subtract."
        nameLabel="Attribute"
        valueLabel="By"
        add="Add number"
        value={step.increment ?? {}}
        onChange={(increment) => {
          const { increment: _, ...rest } = step;
          set(Object.keys(increment).length > 0 ? { ...rest, increment } : rest, 'increment');
        }}
        read={String}
        write={(text) => Number(text) || 0}
        suggestions={fields.filter(isAttribute)}
        error={fault('/increment')}
      />
    </>
  );
}

/** Tags are a list; other fields of contacts are text. */
const listOrText = (text: string, name: string): unknown =>
  name === 'tags'
    ? text
        .replace(/^\[|\]$|"/g, '')
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '')
    : text;

function SegmentField(props: Props<Typed<'add_to_segment' | 'remove_from_segment'>>) {
  const { step, fault } = props;
  const set = useSet(props);
  return (
    <SegmentPicker
      isStatic
      label="Static segment"
      value={step.segment_id}
      onChange={(segment_id) => set({ ...step, segment_id }, null)}
      error={fault('/segment_id')}
    />
  );
}

function NotifyFields(props: Props<Typed<'notify'>>) {
  const { step, fault } = props;
  const set = useSet(props);
  return (
    <>
      <UserPicker label="User" value={step.user_id} onChange={(user_id) => set({ ...step, user_id }, null)} error={fault('/user_id')} />
      <TextField {...props} field="subject" label="Subject" value={step.subject} onText={(subject) => ({ ...step, subject })} />
      <TextField
        {...props}
        field="text"
        label="Text"
        description="A link to the run is added."
        isLong
        value={step.text}
        onText={(text) => ({ ...step, text })}
      />
    </>
  );
}

const methods = { POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE', GET: 'GET' } as const;

function WebhookFields(props: Props<Typed<'webhook'>>) {
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
      <TextField
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
          typeof step.body === 'string' ? 'This is not JSON: it is sent as text.' : 'JSON. Leave empty to send the IDs and data of the run.'
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
        description="Later steps read them as {{ responses.<step>.<name> }}."
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

function StartFields(props: Props<Typed<'start_workflow'>>) {
  const { step, fault } = props;
  const set = useSet(props);
  return (
    <>
      <WorkflowPicker
        label="Workflow"
        value={step.workflow_id}
        onChange={(workflow_id) => set({ ...step, workflow_id }, null)}
        error={fault('/workflow_id')}
      />
      <PairsField<unknown>
        label="Data"
        description="Values can contain {{ data.properties.total }}."
        nameLabel="Name"
        valueLabel="Value"
        add="Add value"
        value={step.data ?? {}}
        onChange={(data) => set({ ...step, data }, 'data')}
        read={(value) => (typeof value === 'string' ? value : JSON.stringify(value))}
        write={scalarOf}
        error={fault('/data')}
      />
    </>
  );
}

function TrackFields(props: Props<Typed<'track_event'>>) {
  const { step, fault } = props;
  const set = useSet(props);
  type Property = (typeof step.properties)[string];
  return (
    <>
      <EventField label="Event" value={step.event} onChange={(event) => set({ ...step, event }, 'event')} error={fault('/event')} />
      <PairsField<Property>
        label="Properties"
        nameLabel="Name"
        valueLabel="Value"
        add="Add property"
        value={step.properties ?? {}}
        onChange={(properties) => set({ ...step, properties }, 'properties')}
        read={String}
        write={scalarOf}
        error={fault('/properties')}
      />
    </>
  );
}
