import type { MarketingPlatform } from '@marketing-platform/sdk';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { addPrompts } from './prompts.ts';
import { addReadTools } from './read-tools.ts';
import { addSendTool, addWriteTools } from './write-tools.ts';

type McpOptions = { allowWrites: boolean; allowSend: boolean; version: string };

const scheme = 'marketing-platform:/';
/** A line of llms.txt about a section of the reference. */
const sectionLine = /^- \[([^\]]+)\]\((\/reference\/[\w-]+\.md)\)(?:: (.*))?$/gm;

/** The API documents that the platform serves, so that an assistant can look up rules and fields. */
function addDocuments(server: McpServer, mp: MarketingPlatform): void {
  const textOf = async (path: string) => (await mp.requestRaw({ method: 'GET', path, isPublic: true })).text();
  const read = async (uri: string, path: string, mimeType: string) => ({ contents: [{ uri, mimeType, text: await textOf(path) }] });
  for (const [name, path, title] of [
    ['overview', '/llms.txt', 'Overview of the API'],
    ['everything', '/llms-full.txt', 'Every guide and every operation in one file'],
  ] as const)
    server.registerResource(name, scheme + path, { title, mimeType: 'text/plain' }, ({ href }) => read(href, path, 'text/plain'));

  const mimeType = 'text/markdown';
  const list = async () => ({
    resources: [...(await textOf('/llms.txt')).matchAll(sectionLine)].map(([, title = '', path = '', description]) => ({
      ...{ uri: scheme + path, name: path.slice('/reference/'.length), title, description, mimeType },
    })),
  });
  const template = new ResourceTemplate(`${scheme}/reference/{section}.md`, { list });
  const reference = { title: 'Reference of one section, such as contacts, segments or campaigns', mimeType };
  server.registerResource('reference', template, reference, ({ href }, { section }) =>
    read(href, `/reference/${encodeURIComponent(String(section))}.md`, mimeType),
  );
}

/** The MCP server of a platform: reads, and what the flags of `mp mcp` allow. */
export function createMcpServer(mp: MarketingPlatform, { allowWrites, allowSend, version }: McpOptions): McpServer {
  const server = new McpServer({ name: 'marketing-platform', version });
  addReadTools(server, mp);
  if (allowWrites) addWriteTools(server, mp);
  if (allowSend) addSendTool(server, mp);
  addDocuments(server, mp);
  addPrompts(server);
  return server;
}

/** Serves over standard input and output until the client closes them. */
export async function serveMcp(mp: MarketingPlatform, options: McpOptions): Promise<void> {
  await createMcpServer(mp, options).connect(new StdioServerTransport());
}
