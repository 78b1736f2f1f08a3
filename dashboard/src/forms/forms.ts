import type { CreateFormRequest, DryRunFormRequest, Form, ListFormsRequest, UpdateFormRequest } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { FormDryRun, FormReport, FormSummary } from '@marketing-platform/sdk';
export type { Form };
export type NewForm = CreateFormRequest['body'];
export type FormChange = NonNullable<UpdateFormRequest['body']>;
export type FormSearch = Pick<NonNullable<ListFormsRequest['query']>, 'sort' | 'status'>;

const listed = ['forms'];
const one = (id: string) => ['form', id];

const readForm = (api: Api, id: string, signal: AbortSignal) =>
  responseData(api.GET('/v2/contacts/forms/{id}', { params: { path: { id } }, signal }));

export function useForms(search: FormSearch) {
  const api = useApi();
  return useList({
    queryKey: [...listed, search],
    page: (at, signal) => responseData(api.GET('/v2/contacts/forms', { params: { query: { limit: 50, ...search, ...at } }, signal })),
  });
}

/** `revision`: a form of this revision is read only once, because the list already says when it changes. */
export function useStoredForm(id: string, revision?: number) {
  const api = useApi();
  return useQuery({
    queryKey: revision === undefined ? one(id) : [...one(id), revision],
    queryFn: ({ signal }) => readForm(api, id, signal),
    ...(revision !== undefined && { staleTime: Number.POSITIVE_INFINITY }),
  });
}

/** What happened with a form in the last 30 days. */
export function useFormReport(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['form-report', id],
    queryFn: ({ signal }) => responseData(api.GET('/v2/contacts/forms/{id}/report', { params: { path: { id } }, signal })),
    staleTime: 0,
    refetchInterval: 15_000,
  });
}

export function useFormVersions(id: string) {
  const api = useApi();
  return useList({
    queryKey: [...one(id), 'versions'],
    page: (at, signal) =>
      responseData(api.GET('/v2/contacts/forms/{id}/versions', { params: { path: { id }, query: { limit: 20, ...at } }, signal })),
  });
}

export function useCreateForm() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (form: NewForm) => responseData(api.POST('/v2/contacts/forms', { body: form })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Updates the revision that was loaded; rejected if the form has changed since. */
export function useUpdateForm(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ change, revision }: { change: FormChange; revision: number }) =>
      responseData(
        api.PUT('/v2/contacts/forms/{id}', { params: { path: { id } }, body: change, headers: { 'if-match': `"${revision}"` } }),
      ),
    onSuccess: (form) => {
      queries.setQueryData(one(id), form);
      return Promise.all([
        queries.invalidateQueries({ queryKey: listed }),
        queries.invalidateQueries({ queryKey: [...one(id), 'versions'] }),
      ]);
    },
  });
}

type Submission = NonNullable<DryRunFormRequest['body']>;

/** What a submission would do. */
export function useDryRunForm(id: string) {
  const api = useApi();
  return useMutation({
    mutationFn: (body: Omit<Submission, 'fields'> & { fields: Record<string, string> }) =>
      responseData(api.POST('/v2/contacts/forms/{id}/dry-run', { params: { path: { id } }, body })),
  });
}

export function useDuplicateForm(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => responseData(api.POST('/v2/contacts/forms/{id}/duplicate', { params: { path: { id } }, body: { name } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useChangeFormStatus(id: string, verb: 'archive' | 'restore') {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.POST(`/v2/contacts/forms/{id}/${verb}`, { params: { path: { id } }, body: {} })),
    onSuccess: (form) => {
      queries.setQueryData(one(id), form);
      return queries.invalidateQueries({ queryKey: listed });
    },
  });
}
