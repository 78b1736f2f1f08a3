import type { Client } from '../client.ts';
import type { Contract } from '../contract.ts';
import type { Call } from './fixtures.ts';

/** No resource has this many changes. */
const stale = '"999999999"';

/**
 * Sends every request of an operation that documents `If-Match` with a stale tag first, which must be refused. The request itself
 * then names the tag from before, which is accepted only if the refused one changed nothing.
 */
export function createIfMatchCheck(client: Client, call: Call) {
  const refused = new Set<string>();
  const faults: string[] = [];

  const takesIfMatch = ({ operation }: Contract['operations'][number]) =>
    (operation.parameters ?? []).some(({ $ref }: { $ref?: string }) => $ref === '#/components/parameters/IfMatch');

  /** The tag of the resource at this path or nearest above it; undefined if neither has one, as before a contact is created. */
  async function tagAt(path: string): Promise<string | undefined> {
    const [resource = path] = /^.*?[a-z]_[0-9a-z]{26}/.exec(path) ?? [path.split('?', 1)[0]];
    return (await client.get(resource)).headers.get('etag') ?? undefined;
  }

  const checked: Call = async (operation, [method, path, body, headers]) => {
    if (!takesIfMatch(operation)) return call(operation, [method, path, body, headers]);
    const tag = await tagAt(path);
    const response = await client.call(method, path, body, { ...headers, 'if-match': stale });
    if (response.status !== 412 || response.error.code !== 'PRECONDITION_FAILED') {
      faults.push(`${operation.id} with a stale tag → ${response.status} ${response.error?.code ?? ''}`.trim());
      return response;
    }
    refused.add(operation.id);
    return call(operation, [method, path, body, { ...headers, ...(tag !== undefined && { 'if-match': tag }) }]);
  };

  return { takesIfMatch, refused, faults, call: checked };
}
