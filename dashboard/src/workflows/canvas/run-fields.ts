import type { MergeField } from '../../email-design/merge-fields.ts';
import type { Definition } from '../definition.ts';
import { capturedFields } from './captured-tags.ts';

/** Liquid reads only these by their names. */
const isReadable = (field: string) => /^data(\.[a-z_][\w-]*)+$/i.test(field);

/**
 * The fields of a run that the email of this step can name: data that the workflow tests, the properties that its event had
 * lately, and what webhooks before the step capture.
 */
export function runFields(definition: Definition, stepId: string, properties: Iterable<string>): MergeField[] {
  const data = [...dataFields(definition), ...[...properties].map((name) => `data.properties.${name}`)].filter(isReadable);
  return [...new Set([...data, ...capturedFields(definition, stepId)])].map((field) => ({ field, label: field, fallback: '' }));
}

function dataFields({ trigger, entry, steps }: Definition): string[] {
  const ofEvent = trigger.type === 'event' ? Object.keys(trigger.where ?? {}).map((name) => `data.${name}`) : [];
  const tested = steps.flatMap((step) => (step.type === 'branch' ? step.branches.flatMap(({ data }) => Object.keys(data ?? {})) : []));
  return [...ofEvent.filter((field) => !field.startsWith('data.context.')), ...tested, ...(entry?.key === undefined ? [] : [entry.key])];
}
