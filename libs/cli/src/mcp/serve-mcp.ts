import type { MarketingPlatform } from '@marketing-platform/sdk';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { addReadTools } from './read-tools.ts';
import { addSendTool, addWriteTools } from './write-tools.ts';

type McpOptions = { allowWrites: boolean; allowSend: boolean; version: string };

/** The API documents that the platform serves, so that an assistant can look up rules and fields. */
function addDocuments(server: McpServer, mp: MarketingPlatform): void {
  const textOf = async (path: string) => (await mp.requestRaw({ method: 'GET', path, isPublic: true })).text();
  const overview = { title: 'Overview of the API', mimeType: 'text/plain' };
  server.registerResource('overview', 'marketing-platform://llms.txt', overview, async ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: await textOf('/llms.txt') }],
  }));
  const template = new ResourceTemplate('marketing-platform://reference/{section}.md', { list: undefined });
  const reference = { title: 'Reference of one section, such as contacts, segments or campaigns', mimeType: 'text/markdown' };
  server.registerResource('reference', template, reference, async ({ href }, { section }) => ({
    contents: [{ uri: href, mimeType: 'text/markdown', text: await textOf(`/reference/${encodeURIComponent(String(section))}.md`) }],
  }));
}

/** The MCP server of a platform: reads, and what the flags of `mp mcp` allow. */
export function createMcpServer(mp: MarketingPlatform, { allowWrites, allowSend, version }: McpOptions): McpServer {
  const server = new McpServer({ name: 'marketing-platform', version });
  addReadTools(server, mp);
  if (allowWrites) addWriteTools(server, mp);
  if (allowSend) addSendTool(server, mp);
  addDocuments(server, mp);
  return server;
}

/** Serves over standard input and output until the client closes them. */
export async function serveMcp(mp: MarketingPlatform, options: McpOptions): Promise<void> {
  await createMcpServer(mp, options).connect(new StdioServerTransport());
}
