import { invalid } from '@mp/contracts/errors';
import type { FastifyInstance } from 'fastify';
import { renamesOf, withNewNames } from './renamed-fields.ts';

/** Accepts the old names of renamed fields and query parameters: routes get the new ones. */
export function acceptOldNames(app: FastifyInstance) {
  app.addHook('preValidation', async (request) => {
    const { schema } = request.routeOptions;
    const [ofBody, ofQuery] = [renamesOf(schema?.body), renamesOf(schema?.querystring)];
    if (ofBody) request.body = withNewNames(request.body, ofBody, refuse);
    if (ofQuery) request.query = withNewNames(request.query, ofQuery, refuse, '/query');
  });
}

function refuse({ path, name, oldName }: { path: string; name: string; oldName: string }): never {
  throw invalid(path, 'names_differ', `\`${oldName}\` is the former name of \`${name}\` and differs from it; send only \`${name}\`.`);
}
