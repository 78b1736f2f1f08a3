/** What the reference of the API says first. */
export const introduction = `The HTTP API of the marketing platform: JSON under \`/v2\`, at the address of your gateway.

**Credentials.** Send \`Authorization: Bearer <key>\`. Create a key in the dashboard under Settings → API Keys → Generate New Key, or with \`npm run key\`. A key has one permission (Read Only, Read/Write or Admin) and, optionally, scopes that narrow it. Without a credential every path under \`/v2\` is 401, for every method, including the \`OPTIONS\` request by which a browser asks whether a page of another site may call the API. Call it from your server, because a key in a page is public; pages send events with a publishable key.

**Responses.** A success is \`{"success": true, "data": {…}}\`, a failure \`{"success": false, "error": {"code", "message", "details"?, "request_id"}}\`. Codes are stable; messages may change.

**Lists** return \`data.items\` and \`data.pagination\`. To read the next page, pass \`next_cursor\` as \`cursor\` with the same filters and sort, until \`has_more\` is false.

**Writes.** PUT changes the fields it names; \`null\` clears a field. You can send back what GET returned. Fields that were renamed have both names: a request accepts either, and both while they agree. \`Idempotency-Key\` makes a write safe to retry; \`If-Match\` protects it against concurrent changes.

**Limits.** Each account has a limit of requests per second and, by plan, a daily quota (UTC). The \`RateLimit\` headers show what remains.

**Rules** select contacts, in segments, searches, bulk jobs and workflows: [rule language](/reference/rules).`;
