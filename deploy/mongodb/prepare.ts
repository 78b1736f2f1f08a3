import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '@mp/contracts/services';
import { type Document, MongoClient, MongoServerError } from 'mongodb';

/**
 * Prepares an empty MongoDB that has access control: creates the replica set, an administrator, and for each service a
 * user with access only to the database of that service. Run it where MongoDB is `localhost`, which can do this once
 * without a password. Running it again sets the passwords of all users to those in the environment.
 */
const replicaSet = 'rs0';

const { MONGODB_PORT = '27017', MONGODB_MEMBER = 'localhost:27017', NAMESPACE = '' } = process.env;
const password = (name: string) => {
  const given = process.env[`${name}_MONGODB_PASSWORD`];
  if (!given) throw new Error(`${name}_MONGODB_PASSWORD is missing; deploy/docker/make-env.mjs generates it.`);
  return given;
};
const passwords = new Map(serviceNames.map((name) => [name, password(name.toUpperCase())]));
const rootPassword = password('ROOT');

const stranger = new MongoClient(`mongodb://localhost:${MONGODB_PORT}/?directConnection=true`, { serverSelectionTimeoutMS: 30_000 });
await withoutFault(stranger, { replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host: MONGODB_MEMBER }] } });
while (!(await stranger.db('admin').command({ isMaster: 1 })).ismaster) await sleep(100);
await withoutFault(stranger, { createUser: 'root', pwd: rootPassword, roles: ['root'] });
await stranger.close();

const root = new MongoClient(`mongodb://root:${encodeURIComponent(rootPassword)}@localhost:${MONGODB_PORT}/?directConnection=true`);
const admin = root.db('admin');
for (const [name, pwd] of passwords) {
  const { users } = await admin.command({ usersInfo: name });
  const database = NAMESPACE ? `${NAMESPACE}_${name}` : name;
  await admin.command({ [users.length > 0 ? 'updateUser' : 'createUser']: name, pwd, roles: [{ role: 'readWrite', db: database }] });
}
await root.close();
console.log(`MongoDB is ready for ${serviceNames.join(', ')}.`);

/** Ignores that the command was already run or is no longer allowed. A real problem shows when the administrator signs in. */
async function withoutFault(client: MongoClient, command: Document) {
  const alreadyInitialized = 23;
  const unauthorized = 13;
  await client
    .db('admin')
    .command(command)
    .catch((error: unknown) => {
      const before = error instanceof MongoServerError && (error.code === alreadyInitialized || error.code === unauthorized);
      if (!before) throw error;
    });
}
