import { Command } from 'commander';
import { connect } from './connect.ts';
import { terminal } from './output.ts';
import { version } from './version.ts';

type McpOptions = { allowWrites?: boolean; allowSend?: boolean; profile?: string };

/** The server is loaded only by this command: other commands start faster without it. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('Serve the platform to an AI assistant over the Model Context Protocol (stdio). Without further flags, tools only read.')
    .option('--allow-writes', 'Tools can create drafts')
    .option('--allow-send', 'Adds a tool that sends a campaign; each send asks for your confirmation')
    .option('--profile <name>', 'The profile of mp login to use')
    .addHelpText('after', '\nExample:\n  mp mcp --allow-writes')
    .action(async ({ allowWrites = false, allowSend = false, profile }: McpOptions) => {
      const [{ serveMcp }, mp] = await Promise.all([import('./mcp/serve-mcp.ts'), connect(profile)]);
      if (process.stdin.isTTY)
        terminal.note('Waiting for an MCP client on standard input. Clients start this command themselves; Ctrl-C ends it.\n');
      await serveMcp(mp, { allowWrites, allowSend, version });
    });
}
