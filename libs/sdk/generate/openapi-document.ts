/** The parts of an OpenAPI document that the generators of the SDK and the CLI read. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  'x-renamed-to'?: string;
};

export type Parameter = {
  $ref?: string;
  name?: string;
  in?: string;
  required?: boolean;
  deprecated?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
};

export type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> };

export type DocumentedOperation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, Media> };
  responses?: Record<string, { description?: string; content?: Record<string, Media> }>;
  'x-scope'?: string;
};

export type OpenapiDocument = {
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks?: Record<string, { $ref: string }>;
  components: {
    schemas?: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    pathItems?: Record<string, Record<string, DocumentedOperation>>;
  };
};

/** Parsed again, because the generators read the document as it is served. */
export const readDocument = (text: string): OpenapiDocument => JSON.parse(text);

/** The name of a component. */
export const last = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1);

/** The schema, or the component it refers to. */
export function resolved(document: OpenapiDocument, schema: Schema | undefined): Schema {
  return schema?.$ref === undefined ? (schema ?? {}) : resolved(document, document.components.schemas?.[last(schema.$ref)]);
}

export function resolvedParameter(document: OpenapiDocument, parameter: Parameter): Parameter {
  return parameter.$ref === undefined ? parameter : (document.components.parameters?.[last(parameter.$ref)] ?? {});
}
