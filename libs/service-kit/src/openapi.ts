import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { Failure } from '@mp/contracts/envelope';
import { errorCodes } from '@mp/contracts/errors';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { z } from 'zod';

/** Which statuses any operation can answer beside its own, by method. */
function failureStatuses(method: string): number[] {
  const always = [400, 401, 403, 404, 405, 414, 429, 431, 500, 502, 503, 504];
  return method === 'GET' ? always : [...always, 409, 412, 413, 415, 422];
}

const meaningOf = (status: number) =>
  Object.entries(errorCodes)
    .filter(([, { status: own }]) => own === status)
    .map(([code, { meaning }]) => `\`${code}\`: ${meaning}`)
    .join('\n\n');

/** Makes the OpenAPI 3.1 document of this service from its routes' own zod schemas, every error included. */
export function describeApi(app: FastifyInstance, name: string) {
  app.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.bodyLimit) route.bodyLimit = route.config.bodyLimit;
    if (route.config?.scope === undefined || !route.schema) return;
    const method = [route.method].flat()[0] ?? 'GET';
    const failures = Object.fromEntries(failureStatuses(method).map((status) => [status, Failure.describe(meaningOf(status))]));
    route.schema = {
      ...route.schema,
      tags: [name],
      security: [{ bearer: [] }],
      response: { ...failures, ...(route.schema.response as Record<number, z.ZodType> | undefined) },
    };
  });
  // Called, not registered: a registered plugin would start to listen for routes after the service has added its own.
  const options: FastifyDynamicSwaggerOptions = {
    openapi: {
      openapi: '3.1.0',
      info: { title: `Marketing platform: ${name}`, version: '2.0.0' },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: ({ schema, url, route, ...rest }) => {
      const transformed = jsonSchemaTransform({ schema, url, route, ...rest });
      const { scope, bodyLimit } = route.config ?? {};
      return {
        ...transformed,
        schema: {
          ...transformed.schema,
          ...(scope === undefined ? { hide: true } : { 'x-scope': scope }),
          ...(bodyLimit && { 'x-body-limit': bodyLimit }),
        },
      };
    },
    transformObject: jsonSchemaTransformObject,
  };
  swagger(app, options, (error) => {
    if (error) throw error;
  });
}
