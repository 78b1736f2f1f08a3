import { AsyncLocalStorage } from 'node:async_hooks';

/** What MongoDB calls a namespace: the database and the collection. */
type Namespace = string;

/** `isOurs`: written by this process, not by another replica. */
type Listener = (namespace: Namespace, isOurs: boolean) => void;

const reading = new AsyncLocalStorage<Set<Namespace>>();
const readOnce = new Set<Namespace>();
const listeners = new Set<Listener>();
const linked = new Map<string, () => boolean>();

const databaseOf = (namespace: Namespace) => namespace.slice(0, namespace.indexOf('.'));

/** Runs the work and adds each collection that it reads to `read`. */
export const noteReads = <Result>(read: Set<Namespace>, work: () => Result): Result => reading.run(read, work);

export function wasRead(namespace: Namespace) {
  const read = reading.getStore();
  if (!read || read.has(namespace)) return;
  read.add(namespace);
  readOnce.add(namespace);
}

export function wasWritten(namespace: Namespace, isOurs = true) {
  if (!readOnce.has(namespace)) return;
  for (const listener of listeners) listener(namespace, isOurs);
}

/** For a change that no collection shows, such as the end of a suspension: runners that read this database look again. */
export function everythingChanged(database: string) {
  for (const namespace of readOnce) if (databaseOf(namespace) === database) wasWritten(namespace, false);
}

/** Calls the listener after each write to a collection that a runner of this process has read. Returns a function that ends this. */
export function onWritten(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether this process learns of the writes of the other replicas to these collections. */
export const areAllLinked = (namespaces: ReadonlySet<Namespace>) =>
  namespaces.size > 0 && [...namespaces].every((namespace) => linked.get(databaseOf(namespace))?.() ?? false);

export function setLink(database: string, isUp: () => boolean) {
  linked.set(database, isUp);
}
