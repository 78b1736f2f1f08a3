import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';

/** The service on one screen: its stores, its routes, its consumers, its answers to other services. */
export function buildApp(parts: Parts): App {
  const app = createServer(parts);

  return { app, prepare: async () => undefined, consumers: [] };
}
