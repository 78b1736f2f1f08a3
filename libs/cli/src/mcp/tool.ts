import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { describeError } from '../exit-codes.ts';

type Effect = 'reads' | 'writes' | 'sends';
type Fields = Record<string, z.ZodType>;
type Tool<F extends Fields> = {
  title: string;
  description: string;
  input: F;
  /** The fields of its result that an assistant can rely on. A list is the field `items`. */
  output?: Fields;
  effect: Effect;
  call: (input: z.infer<z.ZodObject<F>>) => Promise<unknown>;
};

/** A rule, an audience or steps: the platform checks them and its errors say what would be right. */
export const JsonObject = z.record(z.string(), z.unknown());
export const Limit = z.number().int().min(1).max(50).default(10).describe('Maximum number of items.');

const Result = z.record(z.string(), z.unknown());

/** Adds a tool whose result is structured, and whose errors are those of the API, so that an assistant can correct its call. */
export function addTool<F extends Fields>(server: McpServer, name: string, tool: Tool<F>): void {
  const { title, description, input, output = {}, effect, call } = tool;
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
  const outputSchema: z.ZodType = z.looseObject(output);
  server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, async (given) => {
    try {
      const result = await call(schema.parse(given));
      const structuredContent = Result.parse(Array.isArray(result) ? { items: result } : result);
      // The text is for clients that do not read structured content.
      return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent, null, 2) }] };
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: describeError(error) }] };
    }
  });
}
