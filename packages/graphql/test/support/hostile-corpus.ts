import { gzipSync } from 'node:zlib'
import { since17 } from './graphql-version.ts'
import { graphqlResponse, json } from './service.ts'

/** A line of the corpus: the request, and the row of the table that answers it. */
export interface HostileLine {
  readonly what: string
  readonly init: RequestInit
  /** Behind the path. */
  readonly search?: string
  readonly status: number
  /** `null`: it is answered. */
  readonly code: string | null
}

const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_none, index) => write(index)).join(' ')

function post(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const all = { 'content-type': json, accept: graphqlResponse, ...headers }
  return { method: 'POST', headers: all, body: body as string }
}

function document(what: string, status: number, code: string | null, query: string, variables?: string): HostileLine {
  const body = `{"query":${JSON.stringify(query)}${variables ? `,"variables":${variables}` : ''}}`
  return { what, status, code, init: post(body) }
}

function body(what: string, sent: string | Uint8Array): HostileLine {
  return { what, status: 400, code: 'BAD_REQUEST', init: post(sent) }
}

function untyped(type: string, sent: string | Uint8Array = '{"query":"{hello}"}'): HostileLine {
  const init = post(sent, { 'content-type': type })
  return { what: `content type ${type}`, status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', init }
}

function coded(coding: string): HostileLine {
  const init = post(gzipSync('{"query":"{hello}"}'), { 'content-encoding': coding })
  return { what: `content coding ${coding}`, status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', init }
}

function url(what: string, search: string): HostileLine {
  const init = { headers: { accept: graphqlResponse } }
  return { what, search, status: 400, code: 'BAD_REQUEST', init }
}

const limit = 'QUERY_LIMIT_EXCEEDED'
const invalid = 'GRAPHQL_VALIDATION_FAILED'
const doubling = times(30, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)

/** What has brought down GraphQL servers, each line in the size that did it. */
export const hostileCorpus: readonly HostileLine[] = [
  document('600 aliases', 400, limit, `{ ${times(600, (n) => `a${n}: hello`)} }`),
  document('a field 1 990 times', 400, limit, `{ ${times(1_990, () => 'hello')} }`),
  document('a field 900 times', 200, null, `{ ${times(900, () => 'hello')} }`),
  document('10 000 directives', 400, limit, `{ hello ${times(10_000, () => '@a')} }`),
  document('200 directives that exist', 400, limit, `{ ${times(200, () => 'hello @skip(if: false)')} }`),
  document('fragments in a circle', 400, invalid, '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'),
  document(
    'a circle of 200 fragments',
    400,
    invalid,
    `{ ...F0 } ${times(200, (n) => `fragment F${n} on Query { ...F${(n + 1) % 200} }`)}`,
  ),
  document('30 levels of doubling fragments', 400, limit, `{ ...F0 } ${doubling} fragment F30 on Query { hello }`),
  document('depth 20 000', 400, limit, `${'{a'.repeat(20_000)}${'}'.repeat(20_000)}`),
  document('list literals 5 000 deep', 400, limit, `{ hello(name: ${'['.repeat(5_000)}${']'.repeat(5_000)}) }`),
  document(
    '10 kB of fields that conflict',
    400,
    invalid,
    `{ ${times(330, (n) => `hello(name: "${`${n}`.padEnd(14)}")`)} }`,
  ),
  document('10 kB of fields that overlap', 200, null, `{ ${times(330, () => `hello(name: "${' '.repeat(14)}")`)} }`),
  { ...document('100 000 comments', 413, 'PAYLOAD_TOO_LARGE', `{hello}${'#\n'.repeat(100_000)}`) },
  document('33 000 comments', 400, limit, `{hello}${'#\n'.repeat(33_000)}`),
  ...since17(document('an empty selection', 200, null, '{ articles {} }')),
  document('"__proto__" as an alias', 200, null, '{ __proto__: hello constructor: hello }'),
  document('"__proto__" as a variable', 200, null, '{ hello }', '{"__proto__":{"polluted":true},"constructor":{}}'),
  document(
    '"__proto__" as a variable in use',
    200,
    null,
    'query($__proto__:String!){hello(name:$__proto__)}',
    '{"__proto__":"x"}',
  ),
  ...['utf-16', 'utf-7', 'latin1', 'koi8-r', 'none', ''].map((charset) =>
    untyped(`application/json; charset=${charset}`),
  ),
  ...['text/plain', 'application/graphql', 'application/cbor', 'application/json-seq', 'application/problem+json'].map(
    (type) => untyped(type),
  ),
  untyped('application/x-www-form-urlencoded', 'query=%7Bhello%7D'),
  untyped(
    'multipart/form-data; boundary=b',
    '--b\r\ncontent-disposition: form-data; name="query"\r\n\r\n{hello}\r\n--b--',
  ),
  body('an array', '[]'),
  body('an array of operations', `[${times(1_000, () => '{"query":"{hello}"}').replaceAll(' ', ',')}]`),
  body('broken JSON', '{"query":"{hello}"'),
  body('99 kB of open brackets', '['.repeat(99_000)),
  body('gzip that is not called so', gzipSync('{"query":"{hello}"}')),
  ...['gzip', 'x-gzip', 'br', 'zstd', 'gzip, gzip'].map(coded),
  url('a query that stands twice', '?query={hello}&query={viewer}'),
  url('variables that stand twice', '?query={hello}&variables={}&variables={}'),
]
