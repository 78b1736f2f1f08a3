import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';

/** The service on one screen: its routes, its consumers, what works in the background. */
export function buildApp(parts: Parts): App {
  const app = createServer(parts);
  return { app, prepare: async () => undefined, consumers: [] };
}
