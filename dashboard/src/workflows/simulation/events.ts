import { type DurationUnit, durationLabel, durationParts } from '../../time/duration.ts';
import { fieldsOf, membersOf } from '../fields/set-fields.ts';
import { stepName, updateLabel } from '../step-labels.ts';
import type { SimulationEvent, WorkflowStep } from '../workflows.ts';

type EventType = SimulationEvent['type'];

export const eventTypes: Readonly<Record<EventType, string>> = {
  event: 'Performs an event',
  message_opened: 'Opens an email',
  message_clicked: 'Clicks a link',
  segment_entered: 'Enters a segment',
  segment_left: 'Leaves a segment',
  form_submitted: 'Submits a form',
  form_confirmed: 'Confirms a form',
  contact_updated: 'Fields change',
};

/** The types that can happen in this workflow: emails are opened if it sends any. */
export const possibleTypes = (steps: readonly WorkflowStep[]) =>
  Object.entries(eventTypes)
    .filter(([type]) => !type.startsWith('message_') || steps.some(({ type: of }) => of === 'send'))
    .map(([value, label]) => ({ value, label }));

const unitMs: Record<DurationUnit, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 7 * 86_400_000 };

function delayMs({ after = '' }: SimulationEvent): number {
  const parts = durationParts(after);
  return parts ? parts.amount * unitMs[parts.unit] : 0;
}

/** In the order in which they happen. */
export const inOrder = (events: readonly SimulationEvent[]) => events.toSorted((a, b) => delayMs(a) - delayMs(b));

export const whenLabel = (event: SimulationEvent) => (delayMs(event) === 0 ? 'At the start' : `After ${durationLabel(event.after ?? '')}`);

export function eventLabel(event: SimulationEvent, steps: readonly WorkflowStep[], named: (id: string) => string): string {
  switch (event.type) {
    case 'event':
      return `The event ${event.name} happens${withLabel(event.properties)}`;
    case 'segment_entered':
      return `Enters ${named(event.segment_id)}`;
    case 'segment_left':
      return `Leaves ${named(event.segment_id)}`;
    case 'form_submitted':
      return `Submits ${named(event.form_id)}`;
    case 'form_confirmed':
      return `Confirms ${named(event.form_id)}`;
    case 'contact_updated':
      return updateLabel({ set: fieldsOf(event.set) });
    case 'message_opened':
    case 'message_clicked': {
      const step = steps.find(({ id }) => id === event.step_id);
      const email = step ? stepName(step) : event.step_id;
      return event.type === 'message_opened' ? `Opens “${email}”` : `Clicks a link in “${email}”`;
    }
  }
}

const withLabel = (properties: Readonly<Record<string, unknown>> = {}) => {
  const pairs = Object.entries(properties).map(([name, value]) => `${name} ${typeof value === 'string' ? `“${value}”` : String(value)}`);
  return pairs.length > 0 ? ` with ${pairs.join(' and ')}` : '';
};

/** What the form edits: what is typed for one type is kept when another is chosen. */
export type EventDraft = {
  type: EventType;
  after: string;
  name: string;
  properties: NonNullable<(SimulationEvent & { type: 'event' })['properties']>;
  segment_id: string;
  form_id: string;
  step_id: string;
  /** By the full names of the fields. */
  set: Record<string, unknown>;
};

export const newDraft: EventDraft = {
  type: 'event',
  after: 'P1D',
  name: '',
  properties: {},
  segment_id: '',
  form_id: '',
  step_id: '',
  set: {},
};

export function draftOf(event: SimulationEvent): EventDraft {
  const { type, after = 'P0D' } = event;
  switch (type) {
    case 'event':
      return { ...newDraft, type, after, name: event.name, properties: event.properties ?? {} };
    case 'segment_entered':
    case 'segment_left':
      return { ...newDraft, type, after, segment_id: event.segment_id };
    case 'form_submitted':
    case 'form_confirmed':
      return { ...newDraft, type, after, form_id: event.form_id };
    case 'message_opened':
    case 'message_clicked':
      return { ...newDraft, type, after, step_id: event.step_id };
    case 'contact_updated':
      return { ...newDraft, type, after, set: fieldsOf(event.set) };
  }
}

export function eventOf({ type, after, name, properties, segment_id, form_id, step_id, set }: EventDraft): SimulationEvent {
  switch (type) {
    case 'event':
      return { type, name: name.trim(), properties, after };
    case 'segment_entered':
    case 'segment_left':
      return { type, segment_id, after };
    case 'form_submitted':
    case 'form_confirmed':
      return { type, form_id: form_id.trim(), after };
    case 'message_opened':
    case 'message_clicked':
      return { type, step_id, after };
    case 'contact_updated':
      return { type, set: membersOf(set), after };
  }
}

/** What is missing for the chosen type, at its field. */
export function draftErrors({ type, name, segment_id, form_id, step_id, set }: EventDraft): Partial<Record<keyof EventDraft, string>> {
  if (type === 'event') return name.trim() === '' ? { name: 'Enter the name of an event.' } : {};
  if (type === 'contact_updated') return Object.keys(set).length === 0 ? { set: 'Add a field.' } : {};
  if (type === 'message_opened' || type === 'message_clicked') return step_id === '' ? { step_id: 'Choose an email.' } : {};
  if (type === 'form_submitted' || type === 'form_confirmed') return form_id.trim() === '' ? { form_id: 'Enter the ID of a form.' } : {};
  return segment_id === '' ? { segment_id: 'Choose a segment.' } : {};
}
