import type { Release } from '@mp/snippet/releases';

/** The path of a version of the script. */
export const snippetPath = ({ version }: Release) => `/ingest/v1/${snippetFile(version)}`;

/** The name of its file. */
export const snippetFile = (version: string) => `mp-${version}.js`;
