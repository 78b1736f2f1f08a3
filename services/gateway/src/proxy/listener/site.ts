/** What the operator configured for every response. */
export type Site = {
  /** The URL at which clients reach the gateway. */
  publicUrl: string;
  /** Headers of every response, by lower-case name. */
  headers: Readonly<Record<string, string>>;
};
