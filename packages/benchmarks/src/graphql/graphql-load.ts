import { createJwtSigner, createKeyRing, importJwtKey } from '@latchkey/jwt'
import { writeRequest } from '../load/connection.ts'
import { endServer, forkServer } from '../load/fork-server.ts'
import { type LoadTarget, openTarget } from '../load/load-target.ts'
import { audience, issuer, role, secret } from './example.ts'
import { type GraphqlWay, graphqlWays, type SchemaName } from './graphql-ways.ts'

/** More than a server remembers: by the time one comes again it is new. */
const unseenTokens = 20_000

/**
 * Starts a server in a separate process.
 *
 * @throws Error if its answer differs from the expected answer.
 */
export async function startGraphql(schema: SchemaName, name: string): Promise<LoadTarget> {
  const way = graphqlWays[schema][name]
  if (!way) throw new Error(`there is no way called ${name}`)
  const program = new URL('graphql-server.ts', import.meta.url)
  const { child, hello } = await forkServer<{ port: number }>(program, [schema, name])
  const tokens = await signTokens({ none: 0, seen: 1, unseen: unseenTokens }[way.tokens])
  const shown = tokens.length === 0 ? [undefined] : tokens
  const requests = shown.map((token) => requestWith(way, token))
  const target = await openTarget({ name, child, port: hello.port, requests })
  await compare(target, way)
  return {
    ...target,
    async close() {
      await target.close()
      await endServer(child)
    },
  }
}

/** Tokens of the reader whom every server knows. */
export async function signTokens(count: number): Promise<readonly string[]> {
  const key = await importJwtKey({ id: '1', algorithm: 'HS256', bytes: secret })
  const signer = createJwtSigner({ issuer, audience, keys: createKeyRing({ keys: [key] }) })
  const signed: string[] = []
  while (signed.length < count) signed.push((await signer.sign({ sub: 'acc_1', role })).token)
  return signed
}

function requestWith({ example }: GraphqlWay, token: string | undefined): Buffer {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const body = JSON.stringify(example.request)
  return writeRequest({ method: 'POST', path: '/graphql', host: '127.0.0.1', headers, body })
}

/** Checks that every server gives the same answer, and no data without a required token. */
async function compare(target: LoadTarget, way: GraphqlWay): Promise<void> {
  const { example, tokens } = way
  const expected = JSON.stringify(example.answer(example.request))
  const { status, body } = await target.ask(target.next())
  if (status !== 200 || body.trimEnd() !== expected) {
    throw new Error(`${target.name} answered ${status} ${body.slice(0, 300)}`)
  }
  if (tokens === 'none') return
  const refused = await target.ask(requestWith(way, undefined))
  if (refused.body.trimEnd() === expected) throw new Error(`${target.name} answers a request without a token`)
}
