import { z } from 'zod';
import type { Exchange } from '../exchange.ts';

/** Lets the request pass, or throws the error for the client. Returns a promise only where it must wait, because each costs. */
export type Step = (exchange: Exchange) => void | Promise<void>;

/** A policy of `gateway.config.yml`. */
export type Policy = {
  /** The policies that must come before it in a pipeline. */
  needs: readonly string[];
  /** The JSON Schema of its options. */
  schema: { properties?: object };
  /** The policy with these options; throws if they do not match the schema. */
  step: (options: unknown) => Step;
};

export type Policies = Readonly<Record<string, Policy>>;

export function policy<Shape extends z.ZodRawShape>(
  needs: readonly string[],
  shape: Shape,
  run: (exchange: Exchange, options: z.output<z.ZodObject<Shape, z.core.$strict>>) => void | Promise<void>,
): Policy {
  const Options = z.strictObject(shape);
  return {
    needs,
    schema: z.toJSONSchema(Options, { target: 'draft-7' }),
    step: (given) => {
      const options = Options.parse(given);
      return (exchange) => run(exchange, options);
    },
  };
}
