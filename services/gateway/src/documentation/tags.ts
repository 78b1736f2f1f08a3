/** What each group of operations is, in the order a reader meets them. */
export const tags: Readonly<Record<string, string>> = {
  contacts: 'The people you speak with: their fields, attributes, tags and consent. Every other resource refers to them.',
  segments: 'Groups of contacts by rule, kept up to date as contacts change, with the reason why somebody is in or out.',
  campaigns: 'Messages to many: an audience frozen at the send, one row per recipient, and figures that add up.',
  leadpulse: 'What visitors do on your sites: events in, visitors, sessions and analytics out, joined to contacts once they are known.',
  workflows: 'What happens by itself: a trigger and steps, run once per contact and durable across restarts.',
  oauth: "Access tokens for programs, by OAuth 2.0 client credentials. These endpoints speak OAuth's own forms, not the envelope.",
  settings: 'The account, its plan and usage, and the API keys. Needs the permission Admin, but for `GET /v2/me`.',
};

export const introduction = `The HTTP API of the marketing platform. Everything is JSON under \`/v2\`, at the address of your own gateway.

**Credentials.** Send \`Authorization: Bearer <key>\`. A key is made in the dashboard under Settings → API Keys → Generate New Key, or with \`npm run key\`. It has one permission (Read Only, Read/Write, Admin) and optionally scopes, which only narrow it.

**Answers.** Success is \`{"success": true, "data": {…}}\`, failure is \`{"success": false, "error": {"code", "message", "details"?, "request_id"}}\`. Codes are stable, messages may change.

**Lists** hold \`data.items\` and \`data.pagination\`. Pass \`next_cursor\` as \`cursor\`, with the same filters and sort, until \`has_more\` is false.

**Writes.** PUT changes the members it names; \`null\` clears. What was read can be sent back. \`Idempotency-Key\` makes a write safe to repeat, \`If-Match\` makes it safe beside others'.

**Limits.** Each account has requests per second and, by plan, per UTC day; the \`RateLimit\` headers tell what is left.`;
