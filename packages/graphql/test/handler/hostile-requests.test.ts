import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bearer, cookie, graphqlResponse, json, read, type Service, serve } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())
beforeEach(() => {
  service.ran.length = 0
  service.events.length = 0
})

const send = async (body: string | Uint8Array, headers: Record<string, string> = {}) => {
  const all = { 'content-type': json, accept: graphqlResponse, ...headers }
  return read(await fetch(service.url, { method: 'POST', headers: all, body: body as BodyInit }))
}
const document = (query: string) => JSON.stringify({ query })
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'))

/** Bodies with their answers. Each has broken some GraphQL server. */
const bodies: readonly (readonly [what: string, body: () => string | Uint8Array, status: number, code: string])[] = [
  ['nothing', () => '', 400, 'BAD_REQUEST'],
  ['white space', () => ' \n', 400, 'BAD_REQUEST'],
  ['null', () => 'null', 400, 'BAD_REQUEST'],
  ['a number', () => '1', 400, 'BAD_REQUEST'],
  ['a text', () => '"{hello}"', 400, 'BAD_REQUEST'],
  ['an array', () => '[]', 400, 'BAD_REQUEST'],
  ['an array of operations', () => `[${document('{hello}')},${document('{hello}')}]`, 400, 'BAD_REQUEST'],
  ['broken JSON', () => '{"query":"{hello}"', 400, 'BAD_REQUEST'],
  ['JSON with something behind', () => `${document('{hello}')}x`, 400, 'BAD_REQUEST'],
  ['a form', () => 'query={hello}', 400, 'BAD_REQUEST'],
  ['bytes that are no UTF-8', () => new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 400, 'BAD_REQUEST'],
  ['UTF-16', () => utf16(document('{hello}')), 400, 'BAD_REQUEST'],
  ['UTF-16 with a mark', () => utf16(`\ufeff${document('{hello}')}`), 400, 'BAD_REQUEST'],
  ['two byte order marks', () => `\ufeff\ufeff${document('{hello}')}`, 400, 'BAD_REQUEST'],
  ['gzip without saying so', () => new Uint8Array(gzipSync(document('{hello}'))), 400, 'BAD_REQUEST'],
  ['a null byte in the JSON', () => '{"query":"{hello}\u0000"}', 400, 'BAD_REQUEST'],
  ['a query in the prototype', () => '{"__proto__":{"query":"{hello}"}}', 400, 'BAD_REQUEST'],
  ['100 kB of open brackets', () => '['.repeat(99_000), 400, 'BAD_REQUEST'],
  ['100 kB of open objects', () => '{"a":'.repeat(19_000), 400, 'BAD_REQUEST'],
  ['one byte too many', () => document('x'.repeat(100_001 - document('').length)), 413, 'PAYLOAD_TOO_LARGE'],
  ['5 MB', () => document('x'.repeat(5_000_000)), 413, 'PAYLOAD_TOO_LARGE'],
  ['an empty document', () => document(''), 400, 'GRAPHQL_PARSE_FAILED'],
  ['a null byte in the document', () => document('{hello}\u0000'), 400, 'GRAPHQL_PARSE_FAILED'],
  ['a lone surrogate', () => '{"query":"{hello}\\ud800"}', 400, 'GRAPHQL_PARSE_FAILED'],
  ['an unfinished text', () => document('{hello(name:"'), 400, 'GRAPHQL_PARSE_FAILED'],
  ['depth 20 000', () => document('{a'.repeat(20_000) + '}'.repeat(20_000)), 400, 'QUERY_LIMIT_EXCEEDED'],
  ['an open depth of 40 000', () => document('{a'.repeat(40_000)), 400, 'QUERY_LIMIT_EXCEEDED'],
  [
    'lists nested 5 000 deep',
    () => document(`{hello(name:${'['.repeat(5_000)}${']'.repeat(5_000)})}`),
    400,
    'QUERY_LIMIT_EXCEEDED',
  ],
  [
    'objects nested 5 000 deep',
    () => document(`{hello(name:${'{a:'.repeat(5_000)}1${'}'.repeat(5_000)})}`),
    400,
    'QUERY_LIMIT_EXCEEDED',
  ],
  [
    'types nested 5 000 deep',
    () => document(`query($a:${'['.repeat(5_000)}Int${']'.repeat(5_000)}){hello}`),
    400,
    'QUERY_LIMIT_EXCEEDED',
  ],
  ['10 000 directives', () => document(`{hello ${'@a'.repeat(10_000)}}`), 400, 'QUERY_LIMIT_EXCEEDED'],
  ['an introspection of nothing', () => document('{__type}'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'fragments in a circle',
    () => document('{...a} fragment a on Query{...b} fragment b on Query{...a}'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an alias that is the prototype, without rights',
    () => document('{__proto__:viewer constructor:viewer}'),
    401,
    'UNAUTHENTICATED',
  ],
]

describe('a hostile body', () => {
  test.each(bodies)('%s', async (_what, body, status, code) => {
    for (const headers of [{}, bearer('author'), cookie('author')]) {
      const answer = await send(body(), status === 401 ? {} : headers)
      expect(answer.status).toBe(status)
      expect(new Set(answer.codes)).toEqual(new Set([code]))
      expect(answer.body).not.toHaveProperty('data')
      expect(answer.text).not.toMatch(/stack|RangeError|Maximum call|node_modules|at \w+ \(/)
    }
    expect(service.ran).toEqual([])
    expect(service.events.filter(({ type }) => type === 'access.failed')).toEqual([])
  })

  test('containing 100 000 comments is too large, and a third of them exceeds the limit of comments', async () => {
    expect(await send(document(`{hello}${'#\n'.repeat(100_000)}`))).toMatchObject({ status: 413 })
    expect(await send(document(`{hello}${'#\n'.repeat(33_000)}`))).toMatchObject({
      status: 400,
      codes: ['QUERY_LIMIT_EXCEEDED'],
    })
  })

  test('containing random bytes is answered with 400 BAD_REQUEST', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (body) => {
        const { status, codes } = await send(body)
        expect([status, codes]).toEqual([400, ['BAD_REQUEST']])
      }),
      { numRuns: 50 },
    )
  })

  test('containing random JSON is answered with the status of the table', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (body) => {
        const whole = await send(body)
        expect([whole.status, whole.codes]).toEqual([400, ['BAD_REQUEST']])
        const { status, codes } = await send(`{"query":"{hello}","variables":${body}}`)
        expect([status, codes]).toEqual(isMapOrNull(JSON.parse(body)) ? [200, []] : [400, ['BAD_REQUEST']])
        const query = await send(`{"query":${body}}`)
        const isText = typeof JSON.parse(body) === 'string'
        expect([query.status, query.codes]).toEqual([400, [isText ? 'GRAPHQL_PARSE_FAILED' : 'BAD_REQUEST']])
      }),
      { numRuns: 50 },
    )
  })
})

const isMapOrNull = (value: unknown) => typeof value === 'object' && !Array.isArray(value)

describe('a harmless body', () => {
  test.each([
    ['a byte order mark', `\ufeff${document('{hello}')}`],
    ['white space around it', ` \r\n${document('{hello}')}\n`],
    ['unknown members', '{"query":"{hello}","more":[{"a":1}]}'],
    ['an own "__proto__"', '{"query":"{hello}","__proto__":{"operationName":"x"}}'],
    ['"__proto__" as a variable', '{"query":"{hello}","variables":{"__proto__":{"name":"x"},"constructor":1}}'],
    [
      'variables nested 20 000 deep',
      `{"query":"{hello}","variables":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    ],
    ['an escaped surrogate pair', '{"query":"{hello} # \\ud83d\\ude00"}'],
  ])('%s is answered', async (_what, body) => {
    expect(await send(body)).toMatchObject({ status: 200, body: { data: { hello: 'Hello you' } } })
  })

  test('"__proto__" is an alias like any other', async () => {
    const { text } = await send(document('{__proto__:hello constructor:hello toString:hello}'))
    expect(text).toBe('{"data":{"__proto__":"Hello you","constructor":"Hello you","toString":"Hello you"}}')
  })

  test('"__proto__" is a variable like any other', async () => {
    const query = 'query($__proto__:String!){hello(name:$__proto__)}'
    const { body } = await send(`{"query":${JSON.stringify(query)},"variables":{"__proto__":"Ada"}}`)
    expect(body).toEqual({ data: { hello: 'Hello Ada' } })
  })
})

describe('a hostile connection', () => {
  const head = 'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'

  const isWhole = (response: string) => {
    const [head = '', body] = response.split('\r\n\r\n')
    return body !== undefined && body.length >= Number(/^content-length: (\d+)$/im.exec(head)?.[1])
  }

  /** Returns what comes back until it is a whole answer, or the connection is closed. */
  async function exchange(text: string, end = false) {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {})
    let received = ''
    const answered = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        received += chunk
        if (isWhole(received)) resolve()
      })
      socket.on('close', () => resolve())
    })
    socket.write(text)
    if (end) socket.end()
    await answered
    socket.destroy()
    return received
  }

  test('cut within the body does not stop the service', async () => {
    await exchange(`${head}Content-Length: 1000\r\n\r\n{"query":`, true)
    expect(service.ran).toEqual([])
    expect(service.events.filter(({ type }) => type === 'access.failed')).toEqual([])
    expect(await send(document('{hello}'))).toMatchObject({ status: 200 })
  })

  test('announcing more than the limit is answered before the body is sent', async () => {
    expect(await exchange(`${head}Content-Length: 100000000\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('sending more than the limit in chunks is answered at the limit', async () => {
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
    expect(await exchange(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}`)).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('sending two tokens is unauthenticated', async () => {
    const twice = 'Authorization: Bearer admin\r\nAuthorization: Bearer admin\r\n'
    const body = document('{viewer}')
    const answer = await exchange(`${head}${twice}Content-Length: ${body.length}\r\n\r\n${body}`)
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer).toContain('error="invalid_token"')
  })
})
