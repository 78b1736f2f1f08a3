/** The limits of rendering one message. */
export type RenderLimits = {
  /** CPU time for all Liquid of the message, in ms. */
  maxRenderMs: number;
  /** Characters of each rendered part. */
  maxOutput: number;
  /** Nesting depth and number of HTML elements. */
  maxDepth: number;
  maxElements: number;
};

/** Far beyond any real message. */
export const defaultLimits: RenderLimits = { maxRenderMs: 500, maxOutput: 1_048_576, maxDepth: 200, maxElements: 20_000 };
