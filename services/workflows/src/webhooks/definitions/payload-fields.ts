import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { examplePayload, payloadOf, type WebhookEvent } from '@mp/contracts/webhooks/webhook-event';
import { z } from 'zod';

type Schema = z.core.JSONSchema.BaseSchema;
type Definition = Schema | boolean | undefined;

/** The values that a field can have. Without a type, it can have any. */
export type FieldSchema = Pick<Schema, 'enum' | 'format' | 'properties' | 'additionalProperties'> & { type: string | undefined };

/** The payload of one type of event, as the API describes it. */
export type PayloadFields = {
  type: string;
  /** Without keys that accounts choose, such as those of attributes. */
  names: readonly string[];
  /** Its alternatives; empty when the payload has no such field. */
  schemasOf: (field: string) => FieldSchema[];
};

/** The payloads of the catalogue. */
export const payloads: readonly PayloadFields[] = webhookEvents.map(fieldsOf);

function fieldsOf(event: WebhookEvent): PayloadFields {
  const { $defs = {}, properties = {} } = z.toJSONSchema(payloadOf(event), { io: 'output', reused: 'inline', unrepresentable: 'any' });
  const { changed = {}, data = {} } = properties;
  const payload: Schema = {
    type: 'object',
    properties: {
      type: { enum: [event.type] },
      cause: { enum: [...event.causes] },
      ...(examplePayload(event).changed && { changed }),
      data,
    },
  };

  /** Without references and unions. */
  function alternatives(schema: Definition): FieldSchema[] {
    if (schema === undefined || typeof schema === 'boolean') return [];
    if (schema.$ref !== undefined) return alternatives($defs[schema.$ref.replace('#/$defs/', '')]);
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return options.flatMap(alternatives);
    const values = schema.const === undefined ? {} : { enum: [schema.const] };
    return [schema.type].flat().map((type) => ({ ...schema, ...values, type }));
  }

  /** The schemas at a path. A key of a record may have dots. */
  function at(schema: Definition, path: readonly string[]): FieldSchema[] {
    return alternatives(schema).flatMap((one) => {
      if (path.length === 0 || one.type === undefined) return [one];
      const { properties: named = {}, additionalProperties: others } = one;
      const [name = '', ...rest] = path;
      if (Object.hasOwn(named, name)) return at(named[name], rest);
      return typeof others === 'object' ? path.flatMap((_, index) => at(others, path.slice(index + 1))) : [];
    });
  }

  const namesIn = (schema: Definition, prefix: string): string[] =>
    alternatives(schema).flatMap(({ properties: named = {} }) =>
      Object.entries(named).flatMap(([name, inner]) => [`${prefix}${name}`, ...namesIn(inner, `${prefix}${name}.`)]),
    );

  return {
    type: event.type,
    names: [...new Set(namesIn(payload, ''))],
    schemasOf: (field) => at(payload, field.split('.')),
  };
}
