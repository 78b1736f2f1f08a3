import type { Scope } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { isScope } from '../roles/scopes.ts';
import { authGet, authPost, isObject } from '../session/auth-request.ts';
import { currentSession } from '../session/session-query.ts';
import { confirmed } from '../session/step-up.ts';

/**
 * The access that an application requests. `redirectTo` is set if it cannot be granted: the address that returns the error to the
 * application.
 */
export type Authorization = {
  application: string;
  /** The name of the account that made the application. Null: the user's own. */
  developer: string | null;
  account: string;
  redirectUri: string;
  scopes: readonly Scope[];
  missing: readonly Scope[];
  redirectTo: string | undefined;
};

/** An application that a user has connected. */
export type Grant = {
  id: string;
  application: string;
  user: string;
  isOwn: boolean;
  scopes: readonly Scope[];
  lastUsedAt: string;
  /** Whether the account still accepts how the user had signed in to connect it. */
  isAccepted: boolean;
};

const scopesIn = (value: unknown) =>
  Array.isArray(value) ? value.filter((one): one is Scope => typeof one === 'string' && isScope(one)) : [];
const field = (value: unknown, name: string) => (isObject(value) ? value[name] : undefined);
const textIn = (value: unknown, name: string) => {
  const text = field(value, name);
  return typeof text === 'string' ? text : '';
};

async function fetchAuthorization(request: string): Promise<Authorization> {
  const data = await authGet(`/auth/authorization?request=${encodeURIComponent(request)}`);
  const { application } = data;
  return {
    application: textIn(application, 'name'),
    developer: field(application, 'own') === true ? null : textIn(application, 'developer'),
    account: textIn(data, 'account'),
    redirectUri: textIn(data, 'redirect_uri'),
    scopes: scopesIn(data.scopes),
    missing: scopesIn(data.missing),
    redirectTo: typeof data.redirect_to === 'string' ? data.redirect_to : undefined,
  };
}

export const useAuthorization = (request: string) =>
  useQuery({
    queryKey: ['authorization', request],
    queryFn: () => fetchAuthorization(request),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Sends the user's decision about the scopes that were shown. The result is the address to which the browser goes next. */
export function useDecide(request: string, scopes: readonly Scope[]) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (allow: boolean) => {
      const data = await confirmed(() => authPost('/auth/authorization', { request, allow, scopes }, currentSession(queries)));
      return textIn(data, 'redirect_to');
    },
  });
}

const grantsKey = ['grants'];

export const useGrants = () =>
  useQuery({
    queryKey: grantsKey,
    queryFn: async (): Promise<Grant[]> => {
      const { items } = await authGet('/auth/grants');
      return (Array.isArray(items) ? items : []).map((item) => ({
        ...{ id: textIn(item, 'id'), application: textIn(item, 'application'), scopes: scopesIn(field(item, 'scopes')) },
        ...{ user: textIn(field(item, 'user'), 'name'), isOwn: field(field(item, 'user'), 'own') === true },
        lastUsedAt: textIn(item, 'last_used_at'),
        isAccepted: field(item, 'accepted') !== false,
      }));
    },
  });

export function useDisconnect() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Grant) => authPost('/auth/grants/revoke', { id }, currentSession(queries)),
    onSuccess: () => queries.invalidateQueries({ queryKey: grantsKey }),
  });
}
