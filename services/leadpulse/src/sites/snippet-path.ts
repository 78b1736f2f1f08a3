import { scriptFile } from '@mp/service-kit/serve-script';
import type { Release } from '@mp/snippet/releases';

/** The path of a version of the script. */
export const snippetPath = ({ version }: Release) => `/ingest/v1/${scriptFile('mp', version)}`;
