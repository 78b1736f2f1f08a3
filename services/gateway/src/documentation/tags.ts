/** The description of each group of operations, in the order of the reference. */
export const tags: Readonly<Record<string, string>> = {
  contacts: 'The people you can reach, with their fields, attributes, tags and consent. Every other resource refers to them.',
  segments: 'Contacts that match a rule, kept up to date as contacts change. For each contact, the API explains why it is in or out.',
  campaigns:
    'One email to an audience, sent once to each recipient. The audience is frozen when the campaign is sent, and every recipient is accounted for.',
  leadpulse:
    'Website tracking: send events; read visitors, sessions and analytics. Visitors are linked to contacts once they are identified.',
  workflows: 'Automated sequences: a trigger starts a run for a contact, and the run passes through steps. Runs survive restarts.',
  webhooks:
    'Notifications of what happens, sent to your URL as signed requests (Standard Webhooks), with a log of every delivery and attempt.',
  comments:
    'What users say about a campaign, template, segment or workflow, with mentions, which are emailed. The scope that reads the resource also reads its comments; only users who are signed in can write them.',
  oauth:
    "Access tokens for programs, by OAuth 2.0. A client gets tokens for its own account by client credentials. A client with `redirect_uris` is also an application that users of any account connect to theirs: send the browser to `/oauth/authorize?response_type=code&client_id=…&redirect_uri=…&scope=contacts:read&state=…&code_challenge=…&code_challenge_method=S256` (RFC 6749 §4.1 with PKCE, RFC 7636), exchange the `code` that comes back within a minute, and refresh the tokens with the newest refresh token. An application never has more than the user who connected it, and never access to settings or to where webhooks send. These endpoints use OAuth's own request and response formats.",
  settings: 'The account, its plan and usage, users, API keys and OAuth clients. Requires the Admin permission, except for `GET /v2/me`.',
};

const titles: Readonly<Record<string, string>> = { leadpulse: 'LeadPulse', oauth: 'OAuth' };

/** The name of a tag in the document, such as `Contacts` for `contacts`. */
export const titleOf = (tag: string) => titles[tag] ?? `${tag[0]?.toUpperCase()}${tag.slice(1)}`;

/** The path of a tag's Markdown page. */
export const pageOf = (title: string) => `/reference/${title.toLowerCase()}.md`;
