import '@mp/service-kit/instrument';
import { upstreamNames, urlVariable } from '@mp/contracts/services';
import { readEnv, refuseEnv } from '@mp/service-kit/env';
import { createBatchedLogger } from '@mp/service-kit/logger';
import { runService } from '@mp/service-kit/run-service';
import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from './app.ts';
import { gatewayEnv, mailFrom, missingProxies, publicUrl, securityHeaders, sharedFormsHost } from './env.ts';
import { createAccessLog } from './proxy/listener/access-log.ts';
import { createMailer } from './settings/users/mailer.ts';

const env = readEnv(gatewayEnv);
const faults = [missingProxies(env), sharedFormsHost(env)].filter((fault) => fault !== undefined);
if (faults.length > 0) refuseEnv(faults);
const parts = createParts({ name: 'gateway', ...env });
const mailer = createMailer({
  // No email is sent under MAINTENANCE; `npm run user` prints links instead.
  smtpUrl: env.MAINTENANCE ? undefined : env.SMTP_URL,
  from: mailFrom(env),
  logger: parts.logger,
});
const gateway = buildApp(parts, {
  host: env.HOST,
  port: env.PORT,
  publicUrl: publicUrl(env),
  ...(env.FORMS_URL !== undefined && { formsUrl: env.FORMS_URL }),
  mailer,
  deliver: mailer?.deliver,
  services: Object.fromEntries(upstreamNames.map((name) => [name, env[urlVariable(name)]])),
  trustedProxies: env.TRUSTED_PROXIES ?? [],
  headers: securityHeaders(env),
  providerNetwork: {
    allowPrivate: env.SINGLE_SIGN_ON_ALLOW_PRIVATE,
    allowHttp: env.SINGLE_SIGN_ON_ALLOW_PRIVATE && env.NODE_ENV !== 'production',
  },
  installationProviders: env.IDENTITY_PROVIDERS ?? [],
  allowHttpProviders: env.NODE_ENV !== 'production',
  accessLog: createAccessLog(createBatchedLogger('gateway', env.LOG_LEVEL), env.ACCESS_LOG_SAMPLE_RATE),
});
await runService(parts, gateway, env);
