// The first import of every service: the MongoDB driver can only be instrumented before it is loaded. Synchronous, because other modules
// are evaluated while one awaits. Does nothing without a collector, so that a service without tracing does not load OpenTelemetry's hooks.
import { createRequire } from 'node:module';

/** Undefined without a collector. It gets the tracer provider explicitly, because it uses the CommonJS instance of OpenTelemetry's API. */
export const mongoInstrumentation = process.env.OTEL_EXPORTER_OTLP_ENDPOINT ? instrumentMongo() : undefined;

function instrumentMongo() {
  const require = createRequire(import.meta.url);
  const {
    MongoDBInstrumentation,
  }: typeof import('@opentelemetry/instrumentation-mongodb') = require('@opentelemetry/instrumentation-mongodb');
  // Records commands with their values replaced, and only as a part of a trace: not the queries of idle workers.
  return new MongoDBInstrumentation({ enhancedDatabaseReporting: false, requireParentSpan: true });
}
