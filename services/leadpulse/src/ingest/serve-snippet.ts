import type { Server } from '@mp/service-kit/create-server';
import { serveScript } from '@mp/service-kit/serve-script';
import { latestRelease, releases } from '@mp/snippet/releases';

/** `GET /ingest/v1/mp.js`, the latest version of the browser snippet, and every version under a URL that never changes. */
export const serveSnippet = (app: Server) => serveScript(app, '/ingest/v1', { name: 'mp', latest: latestRelease, releases });
