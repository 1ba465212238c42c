import { once } from 'node:events'
import { request as sendHttp } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ask, graphqlResponse, json, read, type Service, serve } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())
beforeEach(() => {
  service.ran.length = 0
})

const body = JSON.stringify({ query: '{ hello }' })
const post = async (headers: Record<string, string>, sent: string | Uint8Array = body) =>
  read(await fetch(service.url, { method: 'POST', headers, body: sent as BodyInit }))
const get = async (search: string) => read(await fetch(`${service.url}?${search}`))

/** `fetch` sends at most one `Content-Type`; `node:http` sends the given headers. */
function sendRaw(headers: Record<string, string | string[]>, sent: string, method = 'POST') {
  return new Promise<number | undefined>((resolve, reject) => {
    const request = sendHttp(service.url, { method, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    request.on('error', reject).end(sent)
  })
}

describe('the method', () => {
  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])('%s is refused', async (method) => {
    expect(await sendRaw({ 'content-type': json }, '', method)).toBe(405)
    expect(service.ran).toEqual([])
  })

  test('HEAD is answered as GET is, without a body, and changes as little', async () => {
    const head = (search: string) =>
      fetch(`${service.url}?${search}`, { method: 'HEAD', headers: { accept: graphqlResponse } })
    const query = 'query={hello}'
    const [asked, got] = [
      await head(query),
      await fetch(`${service.url}?${query}`, { headers: { accept: graphqlResponse } }),
    ]
    for (const name of ['content-type', 'content-length', 'cache-control', 'vary']) {
      expect([name, asked.headers.get(name)]).toEqual([name, got.headers.get(name)])
    }
    expect([asked.status, await asked.text()]).toEqual([200, ''])
    service.ran.length = 0
    const changing = await head(`query=${encodeURIComponent('mutation { note { id } }')}`)
    expect([changing.status, changing.headers.get('allow'), service.ran]).toEqual([405, 'POST', []])
    expect((await head('query={')).status).toBe(400)
  })
})

describe('the content type', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; charset="u\\tf-8"',
    'application/json; profile="a;b, c"; charset=utf-8',
    'application/json; profile="a\\";b"; charset=utf-8',
    'application/json;',
    'application/json; charset=utf8',
    'application/json; charset=ISO-8859-1',
    'application/json; charset="us-ascii"',
  ])('%j is read', async (type) => {
    expect(await post({ 'content-type': type })).toMatchObject({ status: 200, codes: [] })
  })

  test.each([
    '',
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
    'application/graphql-response+json',
    'application/jsonp',
    'application/json+x',
    'application/json, application/json',
    'application/json, text/plain',
    'text/plain, application/json',
    'application/json; charset=utf-16',
    'application/json; charset=utf-7',
    'application/json; charset=iso-8859-1; charset=utf-16',
    'application/json; charset=iso-8859-15',
    'application/json; charset=windows-1252',
    'application/json; charset="utf-8"; charset=utf-7',
    'application/json; charset=utf-8; charset="utf-16le"',
    'application/json; charset=',
    'application/json; charset',
    'application/json; charset="utf-8',
    'application/json; charset = utf-8',
    'application/json charset=utf-8',
    '*/*',
    'json',
  ])('%j is refused', async (type) => {
    expect(await sendRaw({ 'content-type': type }, body)).toBe(415)
    expect(service.ran).toEqual([])
  })

  test.each(['iso-8859-1', 'us-ascii'])('charset=%s is refused for a body that is not ASCII', async (charset) => {
    const type = `application/json; charset=${charset}`
    const sent = JSON.stringify({ query: '{ hello }', operationName: null, extensions: { name: 'J\u00fcrgen' } })
    expect(await post({ 'content-type': type }, sent)).toMatchObject({
      status: 415,
      codes: ['UNSUPPORTED_MEDIA_TYPE'],
    })
    const latin = Uint8Array.from(sent, (character) => character.charCodeAt(0))
    expect((await post({ 'content-type': type }, latin)).status).toBe(400)
    expect(service.ran).toEqual([])
    expect((await post({ 'content-type': 'application/json; charset=utf8' }, sent)).status).toBe(200)
  })

  test('missing or sent twice is refused', async () => {
    expect(await sendRaw({}, body)).toBe(415)
    expect(await sendRaw({ 'content-type': [json, json] }, body)).toBe(415)
    expect(service.ran).toEqual([])
  })

  test('text/plain is refused with the accepted types', async () => {
    const answer = await post({ 'content-type': 'text/plain' })
    expect(answer).toMatchObject({ status: 415, codes: ['UNSUPPORTED_MEDIA_TYPE'] })
    expect(answer.headers.get('accept')).toBe('application/json')
    expect(answer.headers.get('accept-encoding')).toBe('identity')
  })
})

describe('the content coding', () => {
  test.each(['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x-unknown', 'utf-8'])(
    '%s is refused',
    async (coding) => {
      expect(await post({ 'content-type': json, 'content-encoding': coding })).toMatchObject({
        status: 415,
        codes: ['UNSUPPORTED_MEDIA_TYPE'],
      })
      expect(service.ran).toEqual([])
    },
  )

  test('Identity is accepted', async () => {
    expect(await post({ 'content-type': json, 'content-encoding': 'Identity' })).toMatchObject({ status: 200 })
  })
})

describe('Accept', () => {
  test.each([
    ['*/*', json],
    ['application/*', json],
    ['application/json', json],
    [graphqlResponse, graphqlResponse],
    ['APPLICATION/GraphQL-Response+JSON', graphqlResponse],
    [`${json}, ${graphqlResponse}`, graphqlResponse],
    [`${graphqlResponse}, ${json};q=0.9`, graphqlResponse],
    [`${graphqlResponse};q=0.5, ${json}`, json],
    [`${graphqlResponse};q=0.5, ${json};q=0.25`, graphqlResponse],
    [`${graphqlResponse};q=0, */*`, json],
    [`${json};q=0, */*`, graphqlResponse],
    [`${json};q=0, application/*;q=0.1`, graphqlResponse],
    [`${graphqlResponse};q=0.001, */*;q=0`, graphqlResponse],
    ['text/html, application/xhtml+xml, */*;q=0.8', json],
    ['application/json, text/plain, */*', json],
    ['application/json;q=0.9, */*', json],
    ['multipart/mixed;deferSpec=20220824, application/json', json],
    ['application/json; charset=utf-8', json],
    ['application/json;charset="UTF-8";q=1.000', json],
    ['text/html;level="a,b", application/json', json],
    [' , ,application/json', json],
  ])('%j is answered in %s', async (accept, type) => {
    const answer = await ask(service, { query: '{ hello }', accept })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  })

  test.each([
    'text/html',
    'text/*',
    'application/xml',
    'application/json;q=0',
    'application/*;q=0',
    '*/*;q=0',
    '*/*;q=0.0',
    `${graphqlResponse};q=0, application/json;q=0.000, */*`,
    'application/json; charset=utf-16',
    'application/json;q=2',
    'application/json;q=abc',
    'application/json;q=0.1234',
    'application/json;q=',
    '"application/json"',
    'application/json/x',
    'json',
  ])('%j is refused', async (accept) => {
    const answer = await ask(service, { query: '{ hello }', accept })
    expect(answer).toMatchObject({ status: 406, codes: ['NOT_ACCEPTABLE'] })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(service.ran).toEqual([])
  })

  test('missing or empty means application/json', async () => {
    expect(await sendRaw({ 'content-type': json }, '{"query":"{"}')).toBe(200)
    expect(await sendRaw({ 'content-type': json, accept: '' }, '{"query":"{"}')).toBe(200)
  })
})

describe('the parameters of a GET', () => {
  test.each([
    ['query=%7Bhello%7D', 'Hello you'],
    ['query={+hello+}', 'Hello you'],
    ['query={hello}&operationName=', 'Hello you'],
    ['query={hello}&variables=&extensions=', 'Hello you'],
    ['query={hello}&variables=null&extensions=null', 'Hello you'],
    ['query=query($n:String!){hello(name:$n)}&variables={"n":"Ada"}', 'Hello Ada'],
    ['query=query A{hello(name:"a")}query B{hello(name:"b")}&operationName=B', 'Hello b'],
    ['query={hello}&unknown=1&unknown=2', 'Hello you'],
    ['query={hello}&extensions={"some":"value"}', 'Hello you'],
  ])('%s is answered', async (search, hello) => {
    expect(await get(search)).toMatchObject({ status: 200, body: { data: { hello } } })
  })

  test.each([
    '',
    'nothing',
    'query={hello}&query={hello}',
    'query={hello}&query=',
    'query={hello}&variables={}&variables={}',
    'query={hello}&operationName=A&operationName=A',
    'query={hello}&extensions={}&extensions={}',
    'query={hello}&variables={',
    'query={hello}&variables=[]',
    'query={hello}&variables=1',
    'query={hello}&variables="x"',
    'query={hello}&extensions=[]',
    'QUERY={hello}',
    'query[]={hello}',
  ])('%j is refused', async (search) => {
    expect(await get(search)).toMatchObject({ status: 400, codes: ['BAD_REQUEST'] })
    expect(service.ran).toEqual([])
  })

  test('a body does not count', async () => {
    expect(await sendRaw({ 'content-type': json, 'content-length': String(body.length) }, body, 'GET')).toBe(400)
  })
})

describe('the parameters of a POST', () => {
  test('are not read from its URL', async () => {
    const headers = { 'content-type': json }
    const response = await fetch(`${service.url}?query={hello}`, { method: 'POST', headers, body: '{}' })
    expect(await read(response)).toMatchObject({ status: 400, codes: ['BAD_REQUEST'] })
  })

  test('an empty operation name means none', async () => {
    expect(await ask(service, { query: '{ hello }', operationName: '' })).toMatchObject({ status: 200 })
    expect(await ask(service, { query: '{ hello }', operationName: null })).toMatchObject({ status: 200 })
  })

  test.each(['query', 'operationName', 'variables', 'extensions'])('"%s" of a wrong type is named', async (name) => {
    for (const wrong of [1, true, ['x'], ...(name === 'variables' || name === 'extensions' ? ['x'] : [{}])]) {
      const answer = await post({ 'content-type': json }, JSON.stringify({ query: '{ hello }', [name]: wrong }))
      expect(answer).toMatchObject({ status: 400, codes: ['BAD_REQUEST'] })
      expect(answer.body.errors[0].message).toContain(`"${name}"`)
    }
    expect(service.ran).toEqual([])
  })
})

describe('limits', () => {
  test('can be set', async () => {
    const small = await serve({ requestLimits: { bodyBytes: 100, urlBytes: 100 } })
    expect(await ask(small, { query: '{ hello }' })).toMatchObject({ status: 200 })
    expect(await ask(small, { query: `{ hello(name: "${'x'.repeat(100)}") }` })).toMatchObject({ status: 413 })
    expect((await fetch(`${small.url}?query={hello}`)).status).toBe(200)
    expect((await fetch(`${small.url}?query={hello}&more=${'x'.repeat(100)}`)).status).toBe(414)
    await small.close()
  })

  test('count bytes, not characters', async () => {
    const small = await serve({ requestLimits: { bodyBytes: 200 } })
    expect(await ask(small, { query: `{ hello(name: "${'€'.repeat(60)}") }` })).toMatchObject({ status: 413 })
    expect(await ask(small, { query: `{ hello(name: "${'x'.repeat(60)}") }` })).toMatchObject({ status: 200 })
    await small.close()
  })

  test('count the percent-encoded bytes of a URL', async () => {
    const small = await serve({ requestLimits: { urlBytes: 100 } })
    const short = '/graphql?query={hello}&more='
    const over = `${short}${'é'.repeat(13)}`
    expect(over.length).toBeLessThan(100)
    expect((await fetch(new URL(over, small.url))).status).toBe(414)
    expect((await small.handler.fetch(new Request(new URL(over, small.url)))).status).toBe(414)
    expect((await fetch(new URL(`${short}${'é'.repeat(12)}`, small.url))).status).toBe(200)
    // Bytes that are not encoded reach no handler: Node.js refuses them.
    expect(await statusOfTarget(small.url, `${short}é`)).toBe(400)
    expect(await statusOfTarget(small.url, `${short}e`)).toBe(200)
    await small.close()
  })
})

/** Sends a target in UTF-8 without encoding it, which no client library does. */
async function statusOfTarget(url: string, target: string): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(`GET ${target} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`)
  const [head] = await once(socket, 'data')
  socket.destroy()
  return Number(String(head).slice(9, 12))
}
