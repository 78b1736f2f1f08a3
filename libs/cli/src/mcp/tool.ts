import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { describeError } from '../exit-codes.ts';

type Effect = 'reads' | 'writes' | 'sends';
type Fields = Record<string, z.ZodType>;
type Tool<F extends Fields> = {
  title: string;
  description: string;
  input: F;
  effect: Effect;
  call: (input: z.infer<z.ZodObject<F>>) => Promise<unknown>;
};

/** A rule, an audience or steps: the platform checks them and its errors say what would be right. */
export const JsonObject = z.record(z.string(), z.unknown());
export const Limit = z.number().int().min(1).max(50).default(10).describe('Maximum number of items.');

/** Adds a tool whose result is JSON, and whose errors are those of the API, so that an assistant can correct its call. */
export function addTool<F extends Fields>(server: McpServer, name: string, { title, description, input, effect, call }: Tool<F>): void {
  // An argument that does not exist is an error, or the assistant would take the result for an answer to it.
  const schema = z.strictObject(input);
  const inputSchema: z.ZodType = schema;
  const annotations = {
    title,
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'sends',
    idempotentHint: effect === 'reads',
    openWorldHint: effect === 'sends',
  };
  server.registerTool(name, { title, description, inputSchema, annotations }, async (given) => {
    try {
      return { content: [{ type: 'text', text: JSON.stringify(await call(schema.parse(given)), null, 2) }] };
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: describeError(error) }] };
    }
  });
}
