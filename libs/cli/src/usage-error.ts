/** Invalid usage of a command; the message says what is valid. */
export class UsageError extends Error {}

/** There are no credentials to call the platform with. */
export class NotLoggedInError extends UsageError {}
