/** The other system does not respond, or a file is not what it should be; the import can be started again and resumes. */
export class SourceError extends Error {}
