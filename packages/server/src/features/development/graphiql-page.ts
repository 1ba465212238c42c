import type { HttpResponse } from '@latchkey/http'
import { html } from '../../page-kit/html/html.ts'
import { createPage, englishFrame } from '../../page-kit/html/page.ts'
import type { ServicePlan } from '../../service/plan/service-plan.ts'

/**
 * The script of the page. Mutations with the session cookie need the session's csrfToken in a header, so the script
 * queries it before each operation. Subscriptions use the stream endpoint. A refusal is shown like a result.
 */
const scriptFor = (endpoint: string) => `
const endpoint = ${JSON.stringify(endpoint)}
const send = (headers, parameters) => fetch(endpoint, {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
  body: JSON.stringify(parameters),
}).then((response) => response.json())
const stream = (headers, parameters) => ({
  subscribe(observer) {
    const client = graphqlSse.createClient({ url: endpoint + '/stream', headers, retryAttempts: 0 })
    const unsubscribe = client.subscribe(parameters, {
      next: (result) => observer.next(result),
      complete: () => observer.complete(),
      error: (failure) => failure.response
        ? failure.response.json().then((result) => { observer.next(result); observer.complete() }, (error) => observer.error(error))
        : observer.error(failure),
    })
    return { unsubscribe }
  },
})
const isSubscription = ({ operationName }, document) => document?.definitions.some(({ operation, name }) =>
  operation === 'subscription' && (!operationName || name?.value === operationName))
const fetcher = async (parameters, { headers = {}, documentAST } = {}) => {
  if (isSubscription(parameters, documentAST)) return stream(headers, parameters)
  const { data } = await send({}, { query: '{ csrfToken }' })
  return send({ ...(data?.csrfToken && { 'x-csrf-token': data.csrfToken }), ...headers }, parameters)
}
const { query, variables } = Object.fromEntries(new URLSearchParams(location.search))
const element = React.createElement(GraphiQL, { fetcher, query, variables, shouldPersistHeaders: false })
ReactDOM.createRoot(document.getElementById('graphiql')).render(element)
`

/** Returns the page of GraphiQL for the endpoint of the service. */
export function createGraphiqlPage({ security, path }: ServicePlan): HttpResponse {
  const nonce = security.newNonce()
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/graphiql/graphiql.css">
<style nonce="${nonce}">html, body, #graphiql { height: 100%; margin: 0; }</style>
</head>
<body>
<div id="graphiql">GraphiQL requires JavaScript.</div>
${['react', 'react-dom', 'graphiql', 'graphql-sse'].map((name) => `<script nonce="${nonce}" src="/graphiql/${name}.js"></script>`).join('\n')}
<script nonce="${nonce}">${scriptFor(path)}</script>
</body>
</html>
`
  const others = security.page(nonce).filter(([name]) => name !== 'Content-Security-Policy')
  const headers = [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', contentPolicy(nonce)],
    ...others,
  ] as const
  return { status: 200, headers, body }
}

/** The editor of GraphiQL sets style attributes and loads its fonts as `data:` URLs; scripts are limited to the page's. */
function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    'font-src data:',
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Returns the page that explains how to install GraphiQL. */
export function explainMissingGraphiql(plan: ServicePlan): HttpResponse {
  const body = html`<p>It works offline, from packages in your project. Install them:</p>
<p><code>npm install --save-dev graphiql@3 react@18 react-dom@18 graphql-sse</code></p>
<p>Then reload this page.</p>`
  return createPage(englishFrame(plan), { status: 404, title: 'GraphiQL is not installed', body })
}
