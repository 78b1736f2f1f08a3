import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { noQuery } from './list.ts';
import { describeOldNames } from './renamed-fields-openapi.ts';

/**
 * Generates the OpenAPI 3.1 document of this service from the zod schemas of its routes: the request and the successful response of
 * each operation. The failures, which are common to all services, are added when their documents are merged.
 */
export function describeApi(app: FastifyInstance, name: string) {
  app.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.bodyLimit) route.bodyLimit = route.config.bodyLimit;
    if (route.config?.scope === undefined || !route.schema) return;
    const takesBody = (route.method === 'POST' || route.method === 'PUT') && !route.config.consumes;
    // Routes without a schema for the query or body reject every parameter and field, as unknown ones are rejected elsewhere.
    const nothing = { querystring: noQuery, ...(takesBody && { body: z.strictObject({}) }) };
    route.schema = { ...nothing, ...route.schema, tags: route.schema.tags ?? [name], security: [{ bearer: [] }] };
  });
  // Called, not registered: a registered plugin would see routes only after the service has added its own.
  const options: FastifyDynamicSwaggerOptions = {
    openapi: {
      openapi: '3.1.0',
      info: { title: `Marketing platform: ${name}`, version: '2.0.0' },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: ({ schema, url, route, ...rest }) => {
      const transformed = jsonSchemaTransform({ schema, url, route, ...rest });
      const { scope, bodyLimit, consumes, produces, reads, finds, stepUp, outlivesGrants, people, ifMatch } = route.config ?? {};
      return {
        ...transformed,
        schema: {
          ...withOldNames(transformed.schema),
          ...(scope === undefined ? { hide: true } : { 'x-scope': scope }),
          ...(bodyLimit && { 'x-body-limit': bodyLimit }),
          ...(consumes && { 'x-consumes': consumes }),
          ...(produces && { 'x-produces': produces }),
          ...(reads && { 'x-reads': true }),
          ...(finds && { 'x-finds': true }),
          ...(stepUp && { 'x-step-up': true }),
          ...(outlivesGrants && { 'x-outlives-grants': true }),
          ...(people && { 'x-people': true }),
          ...(ifMatch && { 'x-if-match': true }),
        },
      };
    },
    transformObject: (document) => {
      const transformed = jsonSchemaTransformObject(document);
      const schemas = ('components' in transformed && transformed.components?.schemas) || {};
      for (const [name, schema] of Object.entries(schemas)) {
        Object.assign(schemas, { [name]: describeOldNames(schema, name.endsWith('Input') ? 'request' : 'response') });
      }
      return transformed;
    },
  };
  swagger(app, options, (error) => {
    if (error) throw error;
  });
}

/** The schemas of a route, with the old names of renamed fields. */
function withOldNames({ response, ...request }: FastifySchema): FastifySchema {
  const described = Object.entries(request).map(([part, schema]) => [part, describeOldNames(schema, 'request')]);
  return { ...Object.fromEntries(described), ...(response !== undefined && { response: describeOldNames(response, 'response') }) };
}
