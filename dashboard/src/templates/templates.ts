import type { CreateTemplateRequest, Template, UpdateTemplateRequest } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { ContentDraft } from '../email-design/content.ts';
import { designOf } from '../email-design/design.ts';
import { useList } from '../lists/use-list.ts';

export type { TemplateSummary, TemplateVersion } from '@marketing-platform/sdk';
export type { Template };
export type NewTemplate = CreateTemplateRequest['body'];
export type TemplateChange = NonNullable<UpdateTemplateRequest['body']>;

const listed = ['templates'];
const one = (id: string) => ['template', id];

export function useTemplates(sort: 'name' | '-updated_at' = '-updated_at') {
  const api = useApi();
  return useList({
    queryKey: [...listed, sort],
    page: (at, signal) => responseData(api.GET('/v2/campaigns/templates', { params: { query: { limit: 50, sort, ...at } }, signal })),
  });
}

export function useTemplate(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: one(id),
    queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/templates/{id}', { params: { path: { id } }, signal })),
  });
}

export function useTemplateAnalytics(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...one(id), 'analytics'],
    queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/templates/{id}/analytics', { params: { path: { id } }, signal })),
  });
}

export function useTemplateVersions(id: string) {
  const api = useApi();
  return useList({
    queryKey: [...one(id), 'versions'],
    page: (at, signal) =>
      responseData(api.GET('/v2/campaigns/templates/{id}/versions', { params: { path: { id }, query: { limit: 20, ...at } }, signal })),
  });
}

export function useCreateTemplate() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (template: NewTemplate) => responseData(api.POST('/v2/campaigns/templates', { body: template })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Updates the revision that was loaded; rejected if the template has changed since. */
export function useUpdateTemplate(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ change, revision }: { change: TemplateChange; revision: number }) =>
      responseData(
        api.PUT('/v2/campaigns/templates/{id}', { params: { path: { id } }, body: change, headers: { 'if-match': `"${revision}"` } }),
      ),
    onSuccess: (template) => {
      queries.setQueryData(one(id), template);
      return Promise.all([
        queries.invalidateQueries({ queryKey: listed }),
        queries.invalidateQueries({ queryKey: [...one(id), 'versions'] }),
      ]);
    },
  });
}

export function useDuplicateTemplate(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) =>
      responseData(api.POST('/v2/campaigns/templates/{id}/duplicate', { params: { path: { id } }, body: { name } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useDeleteTemplate(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/campaigns/templates/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Fetches a template when it is chosen. */
export function useReadTemplate() {
  const api = useApi();
  return useMutation({
    mutationFn: (id: string) => responseData(api.GET('/v2/campaigns/templates/{id}', { params: { path: { id } } })),
  });
}

type Content = Pick<Template, 'subject' | 'preview_text' | 'html' | 'text' | 'mjml'> & { design: unknown };

/** The content of a template or a version of it, for a form. */
export function contentDraftOf({ subject, preview_text, html, text, mjml, design: stored }: Content): ContentDraft {
  const design = designOf(stored) ?? null;
  return {
    ...{ subject: subject ?? '', preview_text: preview_text ?? '', mjml, design },
    // The blocks are the source of both.
    ...(design ? { html: '', text: '' } : { html, text: text ?? '' }),
  };
}
