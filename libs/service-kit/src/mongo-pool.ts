import type { MongoClient } from 'mongodb';

/** Counts the connections of a client by the events of its pools. */
export function watchPool(client: MongoClient, max: number) {
  const pool = { max, open: 0, used: 0, waiting: 0 };
  client.on('connectionCreated', () => {
    pool.open += 1;
  });
  client.on('connectionClosed', () => {
    pool.open -= 1;
  });
  client.on('connectionCheckOutStarted', () => {
    pool.waiting += 1;
  });
  client.on('connectionCheckOutFailed', () => {
    pool.waiting -= 1;
  });
  client.on('connectionCheckedOut', () => {
    pool.waiting -= 1;
    pool.used += 1;
  });
  client.on('connectionCheckedIn', () => {
    pool.used -= 1;
  });
  return pool as Readonly<typeof pool>;
}
