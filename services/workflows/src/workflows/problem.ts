/** What is wrong with a definition. The path begins at the steps, or at the step. */
export type Problem = { path: (string | number)[]; code: string; message: string };
