import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { HttpReply, SecurityHeaders } from '@latchkey/http'

const require = createRequire(import.meta.url)
const assets: ReadonlyMap<string, readonly [name: string, file: string, type: string]> = new Map([
  ['/graphiql/react.js', ['react', 'umd/react.production.min.js', 'text/javascript']],
  ['/graphiql/react-dom.js', ['react-dom', 'umd/react-dom.production.min.js', 'text/javascript']],
  ['/graphiql/graphiql.js', ['graphiql', 'graphiql.min.js', 'text/javascript']],
  ['/graphiql/graphql-sse.js', ['graphql-sse', 'umd/graphql-sse.min.js', 'text/javascript']],
  ['/graphiql/graphiql.css', ['graphiql', 'graphiql.min.css', 'text/css']],
])

/**
 * Mutations over the session cookie need the session's csrfToken in a header: ask for it before each of them. Subscriptions
 * go to the streams; what refuses one is shown like the answer to a query.
 */
const script = `
const send = (headers, parameters) => fetch('/graphql', {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
  body: JSON.stringify(parameters),
}).then((response) => response.json())
const stream = (headers, parameters) => ({
  subscribe(observer) {
    const client = graphqlSse.createClient({ url: '/graphql/stream', headers, retryAttempts: 0 })
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
const query = new URLSearchParams(location.search).get('query') ?? undefined
const element = React.createElement(GraphiQL, { fetcher, query, shouldPersistHeaders: false })
ReactDOM.createRoot(document.getElementById('graphiql')).render(element)
`

/** Returns GraphiQL's page and files for paths below `/graphiql`, from the packages installed here; else `null`. */
export async function readGraphiql(path: string, security: SecurityHeaders): Promise<HttpReply | null> {
  if (path === '/graphiql') return createPage(security.newNonce())
  const asset = assets.get(path)
  if (!asset) return null
  const [name, file, type] = asset
  const directory = dirname(require.resolve(`${name}/package.json`))
  const headers = [
    ['content-type', `${type}; charset=utf-8`],
    ['x-content-type-options', 'nosniff'],
  ] as const
  return { status: 200, headers, body: await readFile(join(directory, file)) }
}

function createPage(nonce: string): HttpReply {
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
<div id="graphiql">GraphiQL needs scripts.</div>
<script src="/graphiql/react.js"></script>
<script src="/graphiql/react-dom.js"></script>
<script src="/graphiql/graphiql.js"></script>
<script src="/graphiql/graphql-sse.js"></script>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`
  // GraphiQL's editor sets style attributes and loads its fonts as data: URLs; scripts stay limited to this server's.
  const policy = [
    `default-src 'none'`,
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'unsafe-inline'`,
    `font-src data:`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
  const headers = [
    ['content-type', 'text/html; charset=utf-8'],
    ['cache-control', 'no-store'],
    ['content-security-policy', policy],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
  ] as const
  return { status: 200, headers, body }
}
