import type { ApiRequest, Client, RequestOptions } from './client.ts';

type Fields = Record<string, unknown>;

export type Page<Item> = {
  items: Item[];
  pagination: { limit: number; has_more: boolean; next_cursor: string | null; total_count?: number };
};

/**
 * A list. `await` gives its first page; `for await` gives every item of every page, and requests each page when it is needed.
 * Nothing is requested before.
 */
export class List<Item extends Fields, P extends Page<Item> = Page<Item>> implements PromiseLike<P>, AsyncIterable<Item> {
  readonly #load: (cursor?: string) => Promise<P>;

  constructor(load: (cursor?: string) => Promise<P>) {
    this.#load = load;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list gives its first page
  then<A = P, B = never>(
    onPage?: ((page: P) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#load().then(onPage, onError);
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let page = await this.#load();
    yield page;
    while (page.pagination.next_cursor !== null) {
      page = await this.#load(page.pagination.next_cursor);
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** All items, or the first `max` of them. */
  async toArray({ max = Number.POSITIVE_INFINITY }: { max?: number } = {}): Promise<Item[]> {
    const items: Item[] = [];
    if (max <= 0) return items;
    for await (const item of this) if (items.push(item) >= max) break;
    return items;
  }
}

const withCursor = (values: unknown, cursor: string | undefined) =>
  cursor === undefined ? values : { ...(values as object | undefined), cursor };

/** A list whose cursor is a query parameter, or, for a search, a field of the body. */
export function listOf<Item extends Fields, P extends Page<Item>>(
  client: Client,
  request: ApiRequest,
  options?: RequestOptions,
): List<Item, P> {
  return new List((cursor) =>
    client.json<P>(
      request.body === undefined
        ? { ...request, query: { ...request.query, ...(cursor !== undefined && { cursor }) } }
        : { ...request, body: withCursor(request.body, cursor) },
      options,
    ),
  );
}
