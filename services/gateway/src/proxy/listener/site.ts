/** What the operator configured for every response. */
export type Site = {
  /** The URL at which clients reach the gateway. */
  publicUrl: string;
  /** The host that serves forms and nothing else; undefined if forms have none of their own. */
  formsHost?: string;
  /** Headers of every response, by lower-case name. */
  headers: Readonly<Record<string, string>>;
};
