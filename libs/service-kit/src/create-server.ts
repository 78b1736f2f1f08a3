import { contextHeader, verifyContext } from '@mp/contracts/context';
import { ApiError, isUnderV2, unknownPath } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import { judgedMethod, type Permission, refusal, type Scope } from '@mp/contracts/permissions';
import type { Plan } from '@mp/contracts/plan';
import type { SendingLimits } from '@mp/contracts/sending-limits';
import { type AccountId, newId, type PrincipalId, trustedId } from '@mp/ids';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type FastifySerializerCompiler,
  LogController,
} from 'fastify';
import { ResponseSerializationError, serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { acceptJson } from './accept-json.ts';
import { acceptOldNames } from './accept-old-names.ts';
import { compressJson } from './compress-json.ts';
import { jsonLine, pathOf, sendFailure } from './error-response.ts';
import { createFailureLog } from './failure-log.ts';
import { inRequestContext } from './in-request-context.ts';
import { inLogContext } from './log-context.ts';
import type { Logger } from './logger.ts';
import { describeApi } from './openapi.ts';
import { requirePerson } from './principal.ts';
import { renamesOf, withBothNames, withNewNames } from './renamed-fields.ts';
import type {} from './route-config.ts';
import { traceRequests } from './traces.ts';
import { setValidationMessages } from './validation-messages.ts';

/** The authenticated caller: an API key, a token or a user of one account. */
export type Principal = {
  accountId: AccountId;
  id: PrincipalId;
  /** Who created the API key or OAuth client, if known. */
  createdBy?: string | undefined;
  permission: Permission;
  scopes: readonly Scope[] | null;
  /** What the role of the user may send. Null or absent: everything. */
  sendingLimits?: SendingLimits | null | undefined;
  plan?: Plan | undefined;
  /** Expiry of an access token, in epoch milliseconds. */
  endsAt?: number | undefined;
};

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
  }
}

setValidationMessages();

type ServerConfig = { name: string; contextKeys: Keyring; logger: Logger; traced?: boolean };

export type Server = ReturnType<typeof createServer>;

const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/;

/** A Fastify server with authentication, authorization and the common error format. */
export function createServer({ name, contextKeys, logger, traced = false }: ServerConfig) {
  const base: FastifyBaseLogger = logger;
  const asErrors = { warn: logger.error.bind(logger), info: logger.info.bind(logger) };
  const unavailable = createFailureLog(asErrors, 'requests fail because a dependency is unavailable', { recoveredAfter: 10 });
  const sendError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => sendFailure(error, request, reply, unavailable);
  const server = Fastify({
    loggerInstance: base,
    // The log context names the request, so requests share one logger.
    childLoggerFactory: (shared) => shared,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: (raw) => {
      const given = raw.headers['x-request-id'];
      return typeof given === 'string' && requestIdPattern.test(given) ? given : newId('request');
    },
    // Longer than the gateway keeps idle connections, so that it never writes to one that is closing.
    keepAliveTimeout: 75_000,
    requestTimeout: 120_000,
    bodyLimit: 1_048_576,
    routerOptions: { maxParamLength: 300 },
    frameworkErrors: sendError,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    return503OnClosing: false,
  });
  acceptJson(server);
  acceptOldNames(server);
  compressJson(server);
  describeApi(server, name);

  const app = server.withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializeLine);
  app.decorateRequest('principal');
  server.addHook('onRequest', (request, reply, done) => {
    request.logContext = { request_id: request.id };
    inLogContext(request.logContext, done, reply.raw);
  });
  if (traced) traceRequests(server);
  // Parsing the body runs in the context of the socket, so the context of the request is restored here.
  server.addHook('preValidation', (request, reply, done) => inRequestContext(request, reply, done));

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const { scope, people } = request.routeOptions.config;
    // Outside of /v2 there are public paths only, so an unknown one is a 404 for everybody.
    if (scope === undefined && !(request.is404 && isUnderV2(request.url))) return;
    const context = verifyContext(contextKeys, request.headers[contextHeader], {
      method: request.method,
      path: request.url,
      now: Date.now(),
    });
    if (!context) throw new ApiError('UNAUTHORIZED', 'Call this API through its gateway, with an API key or access token.');
    const refused = refusal(context, judgedMethod(request.method, context.principal_id, people), scope ?? null);
    if (refused) throw new ApiError('FORBIDDEN', refused);
    if (request.logContext) request.logContext.account_id = context.account_id;
    request.principal = {
      accountId: trustedId<'account'>(context.account_id),
      id: trustedId<'key' | 'client' | 'user'>(context.principal_id),
      createdBy: context.created_by,
      permission: context.permission,
      scopes: context.scopes,
      sendingLimits: context.sending_limits,
      plan: context.plan,
      endsAt: context.credential_ends_at,
    };
  });

  // After the validation, so that a program learns first what is wrong with its request.
  app.addHook('preHandler', async ({ routeOptions, principal }) => {
    if (routeOptions.config.people) requirePerson(principal, 'do this');
  });

  app.addHook('onResponse', async (request, reply) => {
    if (reply.statusCode < 500) unavailable.succeeded();
    if (request.routeOptions.config.scope === undefined && !request.is404) return;
    const { method, routeOptions } = request;
    const line = { method, route: routeOptions.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 };
    inRequestContext(request, reply, () => request.log.info(line, 'request'));
  });

  app.setNotFoundHandler((request) => {
    throw unknownPath(pathOf(request));
  });
  app.setErrorHandler(sendError);
  return app;
}

const serializeLine: FastifySerializerCompiler<z.ZodType> = (route) => {
  const { schema, method, url } = route;
  const renames = renamesOf(schema);
  if (renames) {
    return (value) => {
      const { data, error } = z.safeEncode(schema, withNewNames(value, renames));
      if (error) throw new ResponseSerializationError(method, url, { cause: error });
      return jsonLine(withBothNames(data, renames));
    };
  }
  const serialize = serializerCompiler(route);
  return (value) => `${serialize(value)}\n`;
};
