/** Returns a request that posts an operation. */
export function postRequest(url: string, query: string, variables?: unknown, signal?: AbortSignal): Request {
  return new Request(url, {
    method: 'POST',
    redirect: 'error',
    headers: { accept: 'application/graphql-response+json', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    signal: signal ?? null,
  })
}
