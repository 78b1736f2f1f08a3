/** How a value of a flag is read. `json` takes JSON or `@file.json`; `list` takes values separated by commas. */
export type ValueType = 'text' | 'number' | 'boolean' | 'list' | 'json';

export type Flag = {
  /** Without dashes. */
  flag: string;
  /** The name of the query parameter or field. */
  name: string;
  in: 'query' | 'body';
  type: ValueType;
  choices?: string[];
  description: string;
};

/** A command for one operation of the API. */
export type CommandDescription = {
  words: string[];
  operationId: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  args: { name: string; description: string }[];
  flags: Flag[];
  body?: { kind: 'json' | 'form' | 'file'; types: string[]; required: string[] };
  cursorIn?: 'query' | 'body';
  isWrite: boolean;
  ifMatch: boolean;
  isPublic: boolean;
  returns: 'data' | 'json' | 'file' | 'nothing';
  /** A call that works, for the help. */
  example: string[];
};
