import type { Scope } from '@mp/contracts/permissions';

declare module 'fastify' {
  /** What a route declares of itself, for this server, the gateway and the documentation. */
  interface FastifyContextConfig {
    /** The required scope; null: any credential. A route without this field is public; only health routes are. */
    scope?: Scope | null;
    /** Maximum body size in bytes, 1 MiB by default. The gateway's route table contains it too. */
    bodyLimit?: number;
    /** Media types of a file upload, which the route reads itself. */
    consumes?: readonly string[];
    /** Media types of a file download. */
    produces?: readonly string[];
    /** The route decompresses its body itself, within its own limits. */
    takesEncoded?: boolean;
    /** The route validates the items of its body one by one, so that an invalid text or number rejects only its own item. */
    itemsOnTheirOwn?: boolean;
    /** A POST that changes nothing and therefore needs no Idempotency-Key. */
    reads?: boolean;
    /** What it does cannot be undone, so the gateway lets a user do it only just after a proof of who they are. */
    stepUp?: boolean;
    /** It gives a secret with which a program can act without its own credentials, so the gateway keeps connected applications from it. */
    outlivesGrants?: boolean;
    /** Only for users who are signed in, including those whose role only reads. */
    people?: boolean;
    /** It passes the resource to `requireMatch`, so the document promises `If-Match` and 412. */
    ifMatch?: boolean;
    /** An ID in the query or the body that the account does not have is answered with 404. */
    finds?: boolean;
  }
}
