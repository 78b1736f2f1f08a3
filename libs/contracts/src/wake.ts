/** The subject on which the replicas of a service tell each other what they have written; no stream stores it. */
export const wakeSubject = (service: string) => `wake.${service}`;
