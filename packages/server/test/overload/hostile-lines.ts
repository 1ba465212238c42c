/** What an attacker sends, again and again without pause. */
export type HostileLine = { readonly what: string } & (
  | {
      readonly by: 'requests'
      readonly path?: string
      readonly method?: string
      readonly headers?: Headings
      readonly body?: string
    }
  | { readonly by: 'sockets' }
  | { readonly by: 'messages'; readonly query: string }
  | { readonly by: 'slow readers'; readonly query: string }
  | { readonly by: 'slow bodies' }
  | { readonly by: 'connections' }
)
type Headings = Readonly<Record<string, string>>

const json = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const times = (count: number, write: (index: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_none, index) => write(index)).join(between)

const post = (what: string, query: string, variables: object = {}): HostileLine => ({
  ...{ what, by: 'requests', method: 'POST', headers: json },
  body: JSON.stringify({ query, variables }),
})
const body = (what: string, text: string) => ({
  what,
  by: 'requests' as const,
  method: 'POST',
  headers: json,
  body: text,
})
const field = (query: string, input: object): readonly [string, object] => [query, { input }]

const conflicting = `{ ${times(330, (n) => `hello(name: "${`${n}`.padEnd(14)}")`)} }`
const doubling = times(30, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)
const deepType = (levels: number): string => (levels === 0 ? 'name' : `name ofType { ${deepType(levels - 1)} }`)

const tenMegabytes = 'x'.repeat(10_000_000)

/** What has brought down servers, and what this one has besides. */
export const hostileLines: readonly HostileLine[] = [
  post('10 kB of fields that conflict', conflicting),
  post('10 kB of fields that overlap', `{ ${times(330, () => `hello(name: "${' '.repeat(14)}")`)} }`),
  post('a field 1 990 times', `{ ${times(1_990, () => 'hello')} }`),
  post('a field 900 times', `{ ${times(900, () => 'hello')} }`),
  post('600 aliases', `{ ${times(600, (n) => `a${n}: hello`)} }`),
  post('10 000 directives', `{ hello ${times(10_000, () => '@a')} }`),
  post('30 levels of doubling fragments', `{ ...F0 } ${doubling} fragment F30 on Query { hello }`),
  post('depth 20 000', `${'{a'.repeat(20_000)}${'}'.repeat(20_000)}`),
  post('33 000 comments', `{hello}${'#\n'.repeat(33_000)}`),
  post('90 kB of variables', 'query ($name: String!) { hello(name: $name) }', { name: 'x'.repeat(90_000) }),
  post('introspection', `{ __schema { types { name fields { name args { name } type { ${deepType(7)} } } } } }`),
  post('a list of 100 000 characters a hundred times', '{ many(first: 100) }'),
  body('99 kB of open brackets', '['.repeat(99_000)),
  body('broken JSON', '{"query":"{ hello }"'),
  body('an array of operations', `[${times(1_000, () => '{"query":"{hello}"}', ',')}]`),
  post(
    'wrong passwords',
    ...field('mutation ($input: SignInInput!) { signIn(input: $input) { status } }', {
      ...{ email: 'nobody@example.com', password: 'otters read loudly at dawn', delivery: 'TOKEN' },
    }),
  ),
  post(
    'refresh tokens that do not exist',
    ...field('mutation ($input: RefreshInput) { refresh(input: $input) { accessToken } }', {
      refreshToken: 'x'.repeat(60),
    }),
  ),
  post(
    'sign-ups',
    ...field('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', {
      ...{ email: 'somebody@example.com', password: 'otters read loudly at dusk', name: 'Somebody' },
    }),
  ),
  {
    ...post('sessions that do not exist', '{ hello }'),
    ...cookie('__Host-session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
  },
  {
    what: 'a bearer token of 8 kB',
    by: 'requests',
    path: '/graphql?query={hello}',
    headers: { authorization: `Bearer ${'a'.repeat(8_000)}` },
  },
  {
    what: '200 cookies',
    by: 'requests',
    path: '/graphql?query={hello}',
    headers: { cookie: times(200, (n) => `c${n}=${n}`, '; ') },
  },
  {
    what: 'headers of 64 kB',
    by: 'requests',
    path: '/graphql?query={hello}',
    headers: { 'x-long': 'a'.repeat(64_000) },
  },
  { what: 'another host', by: 'requests', path: '/graphql?query={hello}', headers: { host: 'evil.example' } },
  { what: 'pages', by: 'requests', path: '/sign-in' },
  { what: 'paths that do not exist', by: 'requests', path: '/nothing/here' },
  {
    what: 'forms of sign-ins',
    by: 'requests',
    path: '/sign-in',
    method: 'POST',
    headers: form,
    body: 'email=a%40example.com&password=x',
  },
  { what: 'readiness', by: 'requests', path: '/readyz' },
  { what: 'WebSocket connects', by: 'sockets' },
  { what: 'messages of a WebSocket', by: 'messages', query: conflicting.replace('{', 'subscription {') },
  { what: 'slow readers of 10 MB', by: 'slow readers', query: '{ many(first: 95) }' },
  { what: 'slow bodies', by: 'slow bodies' },
  { what: 'connections that say nothing', by: 'connections' },
  { ...body('10 MB that are not read', tenMegabytes), path: '/nothing/here' },
  { ...body('99 kB that are not read', 'x'.repeat(99_000)), path: '/nothing/here' },
  body('10 MB to /graphql', tenMegabytes),
]

function cookie(value: string): { readonly headers: Headings } {
  return { headers: { ...json, cookie: value } }
}
