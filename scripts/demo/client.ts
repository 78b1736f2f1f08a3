type Json = ReturnType<typeof JSON.parse>;
export type DemoClient = ReturnType<typeof createDemoClient>;

/** Calls the public API. Waits and retries on 429 and 503; throws the API's message on other errors. */
export function createDemoClient(url: string, key: string) {
  async function call(method: string, path: string, body?: object | string, type = 'application/json'): Promise<Json> {
    for (let attempt = 0; ; attempt += 1) {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const responseBody: Json = await response.json();
      if (response.ok) return responseBody.data;
      if ((response.status === 429 || response.status === 503) && attempt < 20) {
        await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after') ?? 1) * 1_000));
        continue;
      }
      throw new Error(`${method} ${path} returned ${response.status}: ${responseBody.error.message}`);
    }
  }

  async function* all(path: string): AsyncGenerator<Json> {
    for (let cursor = ''; ; ) {
      const { items, pagination } = await call('GET', `${path}?limit=100${cursor && `&cursor=${cursor}`}`);
      yield* items;
      if (!pagination.next_cursor) return;
      cursor = pagination.next_cursor;
    }
  }

  return {
    get: (path: string) => call('GET', path),
    post: (path: string, body: object = {}) => call('POST', path, body),
    put: (path: string, body: object) => call('PUT', path, body),
    /** Sends a file as the body. */
    upload: (path: string, text: string, type: string) => call('POST', path, text, type),
    /** The first items of a list. */
    async first(path: string, max: number): Promise<Json[]> {
      const items: Json[] = [];
      for await (const item of all(path)) {
        if (items.length >= max) break;
        items.push(item);
      }
      return items;
    },
    /** The existing item of this name, or a new one created from `body`. */
    async named(path: string, body: { name: string; [member: string]: unknown }): Promise<{ item: Json; created: boolean }> {
      for await (const item of all(path))
        if (item.name === body.name) return { item: await call('GET', `${path}/${item.id}`), created: false };
      return { item: await call('POST', path, body), created: true };
    },
  };
}
