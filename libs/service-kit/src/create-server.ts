import { validateHeaderValue } from 'node:http';
import { contextHeader, verifyContext } from '@mp/contracts/context';
import { Failure } from '@mp/contracts/envelope';
import {
  ApiError,
  docUrlOf,
  type ErrorCode,
  type ErrorDetail,
  errorCodes,
  isUnderV2,
  notFound,
  publicUrlHeader,
  unknownPath,
} from '@mp/contracts/errors';
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
import {
  hasZodFastifySchemaValidationErrors,
  ResponseSerializationError,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import { acceptJson } from './accept-json.ts';
import { acceptOldNames } from './accept-old-names.ts';
import { compressJson } from './compress-json.ts';
import { createFailureLog, type FailureLog } from './failure-log.ts';
import { detailOf } from './issue-detail.ts';
import { inLogContext, type LogContext } from './log-context.ts';
import type { Logger } from './logger.ts';
import { isMongoUnavailable, isUnavailable } from './mongo.ts';
import { describeApi } from './openapi.ts';
import { requirePerson } from './principal.ts';
import { renamesOf, withBothNames, withNewNames } from './renamed-fields.ts';
import type {} from './route-config.ts';
import { suggestNames } from './suggest-names.ts';
import { inRequestSpan, traceRequests } from './traces.ts';

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
    /** The fields of the log lines of this request; undefined before its first hook. */
    logContext?: LogContext;
  }
}

suggestNames();

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
  server.addHook('preValidation', (request, reply, done) => within(request, reply, done));

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
    within(request, reply, () => request.log.info(line, 'request'));
  });

  app.setNotFoundHandler((request) => {
    throw unknownPath(pathOf(request));
  });
  app.setErrorHandler(sendError);
  return app;
}

/** Runs the work in the log context and the span of the request, even where Fastify calls from outside of them. */
function within(request: FastifyRequest, reply: FastifyReply, work: () => void) {
  inLogContext(request.logContext ?? { request_id: request.id }, () => inRequestSpan(request, work), reply.raw);
}

function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply, unavailable: FailureLog) {
  const { code, message, details, retryAfter } = clientError(error, request);
  const { status } = errorCodes[code];
  within(request, reply, () => {
    if (error instanceof ApiError && error.cause === undefined) {
      // Thrown deliberately, such as "too many at once": not a fault, and its stack has no information.
      if (status >= 500) request.log.warn({ status, code, reason: message }, 'request rejected');
    } else if (isUnavailable(error)) unavailable.failed(error);
    else if (status >= 500) request.log.error({ err: error }, 'request failed');
  });
  dropFailedHeaders(reply);
  reply.header('x-request-id', request.id);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  const publicUrl = request.headers[publicUrlHeader];
  const doc_url = docUrlOf(code, typeof publicUrl === 'string' ? publicUrl : undefined);
  const failure: Failure = {
    success: false,
    error: { code, message, ...(details && { details: [...details] }), request_id: request.id, doc_url },
  };
  return reply.code(status).type('application/json; charset=utf-8').serializer(jsonLine).send(Failure.parse(failure));
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

/** JSON that ends with a newline, so that a terminal shows its prompt on its own line. */
const jsonLine = (value: unknown) => `${JSON.stringify(value)}\n`;

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? url;

/** Headers that say what the body is: of a file, or of a response that was about to be compressed. */
const bodyHeaders = ['content-encoding', 'content-disposition', 'content-length'];

/**
 * Removes the headers of the response that failed that describe its body, and invalid ones, so that they cannot prevent the error
 * response, which may be about them.
 */
function dropFailedHeaders(reply: FastifyReply) {
  for (const name of bodyHeaders) reply.removeHeader(name);
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    try {
      validateHeaderValue(name, String(value));
    } catch {
      reply.removeHeader(name);
    }
  }
}

type ClientError = { code: ErrorCode; message: string; details?: readonly ErrorDetail[] | undefined; retryAfter?: number | undefined };

/** The error as the client sees it. Errors that are not meant for clients become INTERNAL_ERROR. */
function clientError(error: FastifyError, request: FastifyRequest): ClientError {
  if (error instanceof ApiError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) return validationError(error);
  if (isMongoUnavailable(error))
    return { code: 'SERVICE_UNAVAILABLE', message: 'The database is temporarily unavailable; try again.', retryAfter: 2 };
  switch (error.statusCode) {
    case 400:
      return {
        code: 'VALIDATION_ERROR',
        message: error.message,
        details: [{ code: jsonCodes.has(error.code) ? 'invalid_json' : 'invalid_format', message: error.message }],
      };
    case 404:
      return unknownPath(pathOf(request));
    case 413:
      return { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than this endpoint accepts; send smaller requests.' };
    case 415:
      return { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send the body as application/json.' };
    case 503:
      return { code: 'SERVICE_UNAVAILABLE', message: 'The service is shutting down; try again.', retryAfter: 1 };
    default:
      return { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' };
  }
}

const jsonCodes = new Set(['FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_EMPTY_JSON_BODY', 'FST_ERR_CTP_INVALID_CONTENT_LENGTH']);

type ValidationFault = { instancePath: string; keyword: string; message?: string; params?: unknown };

const RestOfIssue = z.object({ keys: z.unknown().optional(), params: z.unknown().optional() }).catch({});

function validationError(
  error: FastifyError & { validation: readonly ValidationFault[]; validationContext?: string | undefined },
): ClientError {
  const part = error.validationContext === 'querystring' ? 'query' : (error.validationContext ?? 'body');
  // A malformed id in a path gets the same error as an unknown one.
  if (part === 'params') return notFound();
  const prefix = part === 'body' ? '' : `/${part}`;
  const details = error.validation.slice(0, 50).map(({ instancePath, keyword, message = 'invalid', params }) => {
    const { keys, params: own } = RestOfIssue.parse(params);
    const path = instancePath === '/' ? [] : instancePath.slice(1).split('/');
    const detail = detailOf({ code: keyword, path, message, keys, params: own });
    return { ...detail, path: detail.path === '/' ? prefix || '/' : `${prefix}${detail.path}` };
  });
  const [first] = details;
  return { code: 'VALIDATION_ERROR', message: first ? `${first.path}: ${first.message}` : 'The request is invalid.', details };
}
